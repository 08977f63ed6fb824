import { ExecutorFailure } from "../shared/failures.ts";
import { loginName, type SshLogin, type SshTarget } from "./login.ts";

/** Why a login failed, and what to check, from the error of ssh2. */
export function explainError(
  error: Error & { level?: string },
  at: { target: SshTarget; login: SshLogin; handshakeDone: boolean; timeoutMs: number },
): ExecutorFailure {
  const where = `${at.target.host}:${at.target.port}`;
  const options = { cause: error };
  if (error.level === "client-timeout") {
    const message = `${where} accepted the connection, but SSH was not ready within ${at.timeoutMs / 1_000} s. Check that an SSH server listens there, and its load.`;
    return new ExecutorFailure("unreachable", message, null, options);
  }
  // After too many attempts a server disconnects instead of refusing again.
  if (error.level === "client-authentication" || (at.handshakeDone && error.level === undefined)) {
    const remedy =
      at.login !== null && "password" in at.login
        ? "Check the user name and the password, and that the server accepts passwords; then deliver the credential again"
        : "Check the user name, and that the key's public half is in the user's authorized_keys on the host";
    const message = `${where} did not accept the ${loginName(at.login)} of ${at.target.username} (${error.message}). ${remedy}.`;
    return new ExecutorFailure("authentication_failed", message, null, options);
  }
  const message = `The SSH handshake with ${where} failed: ${error.message}. Check that an SSH server listens there.`;
  return new ExecutorFailure("unreachable", message, null, options);
}

export function closedMessage(where: string, handshakeDone: boolean): string {
  return handshakeDone
    ? `${where} closed the connection during the login. Its log says why.`
    : `${where} closed the connection before the SSH handshake. It may be overloaded, or refuse this agent's address.`;
}
