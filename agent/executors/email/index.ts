import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { composeLetter } from "./letter.ts";
import { recipientsOf } from "./recipients.ts";
import { openSession, type SmtpSession } from "./session.ts";
import { type SmtpServer, smtpServer } from "./smtp-server.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "../executor.ts";
import { action, ExecutorFailure, invalidParams, parsed } from "../shared/failures.ts";

/** Logins with a password. Other mechanisms, such as XOAUTH2, would take the password for a token. */
const BY_PASSWORD = ["PLAIN", "LOGIN", "CRAM-MD5"];
const OAUTH = new Set(["XOAUTH2", "OAUTHBEARER"]);
const NAMED_MAX = 5;

/** Messages through the mail server of a connection of type email (SMTP, RFC 5321). */
export const executor: Executor<"email"> = { actions: { "email.sendEmail": action(sendEmail) }, test };

/**
 * Output `{messageId, accepted, rejected, response}`. Succeeds when the server took the message for at least one
 * recipient; `rejected` lists the others. A failure would lead to a retry, which reaches the accepted recipients twice.
 */
async function sendEmail(context: ExecutorContext): Promise<JsonObject> {
  const params = parsed(ACTIONS["email.sendEmail"].params, context.params, "invalid_params");
  const config = parsed(CONNECTION_CONFIGS.email, context.connection.config, "invalid_config");
  const server = smtpServer(config, context.secrets);
  const recipients = recipientsOf(params);
  const { fromAddress: from } = config;
  const letter = await composeLetter(params, { from, recipients, id: context.jobId, date: new Date() });
  const session = await openSession(server, context);
  try {
    await logIn(session, server);
    const foreign = recipients.envelope.find((address) => /[^\u0020-\u007e]/u.test(address));
    if (foreign !== undefined && !session.offers("SMTPUTF8")) {
      throw invalidParams(
        `${server.where} does not accept letters beyond ASCII before the @ of an address (SMTPUTF8), such as in ${foreign}. Use another address or server.`,
      );
    }
    const sent = await session.send({ from, to: recipients.envelope }, letter.message);
    session.quit();
    return {
      messageId: sent.messageId ?? letter.messageId,
      accepted: sent.accepted,
      rejected: sent.rejected,
      response: sent.response,
    };
  } catch (error) {
    session.close();
    throw error;
  }
}

/** A sentence about the login. A server that offers no login decides about the message itself. */
async function logIn(session: SmtpSession, server: SmtpServer): Promise<string> {
  const { login, security, where } = server;
  const offered = session.offers("AUTH");
  if (login === null) {
    return offered
      ? "The server offers a login, and no password was delivered: messages are sent without one. Deliver one if the server refuses them."
      : "The server offers no login, and none was delivered.";
  }
  if (!offered) return "The server offers no login: the delivered one is not used.";
  if (security === "none" && !session.loopback) {
    throw new ExecutorFailure(
      "invalid_config",
      `The login was not sent to ${where}: useTls is false, so others in the network could read the password. Set useTls to true, or delete the credential if the server accepts messages without a login.`,
    );
  }
  if (!session.mechanisms.some((mechanism) => BY_PASSWORD.includes(mechanism))) throw noPassword(session, server);
  await session.login();
  return `Logged in as ${login.user}.`;
}

function noPassword({ mechanisms }: SmtpSession, { where }: SmtpServer): ExecutorFailure {
  const onlyOAuth = mechanisms.length > 0 && mechanisms.every((mechanism) => OAUTH.has(mechanism));
  const named = mechanisms.length === 0 ? "no kind of login" : mechanisms.slice(0, NAMED_MAX).join(", ");
  const offer = onlyOAuth ? "this server takes OAuth logins only" : `this server names ${named}`;
  const message =
    `The login was not sent to ${where}: ${offer}, and the agent knows ${BY_PASSWORD.join(", ")}. Use a server or an ` +
    "account that accepts a password, or delete the credential if the server accepts messages without a login.";
  return new ExecutorFailure("unsupported_auth", message);
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const pass = (name: string, detail: string): void => void checks.push({ name, ok: true, detail });
  const config = parsed(CONNECTION_CONFIGS.email, context.connection.config, "invalid_config");
  const usable = usableServer(config, context);
  const { server } = usable;
  const encryption = server.security === "tls" ? "TLS" : "STARTTLS";
  let failing = "TCP connection";
  let session: SmtpSession | null = null;
  try {
    session = await openSession(server, context);
    pass("TCP connection", `${server.where} answers as ${session.serverName || "a mail server"}.`);
    if (server.security !== "none") pass(encryption, `Encrypted, and the certificate is valid for ${server.host}.`);
    failing = "Authentication";
    if (usable.problem !== null) throw usable.problem;
    pass(failing, await logIn(session, server));
    session.quit();
  } catch (error) {
    session?.close();
    if (!(error instanceof ExecutorFailure)) throw error;
    if (error.code === "tls_error") {
      pass("TCP connection", `${server.where} accepts connections.`);
      failing = encryption;
    }
    checks.push({ name: failing, ok: false, detail: error.message });
  }
  return checks;
}

/** With an unusable credential the test still reports whether the server can be reached. */
function usableServer(
  config: Parameters<typeof smtpServer>[0],
  { secrets }: ExecutorContext,
): { server: SmtpServer; problem: ExecutorFailure | null } {
  try {
    return { server: smtpServer(config, secrets), problem: null };
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return { server: smtpServer(config, null), problem: error };
  }
}
