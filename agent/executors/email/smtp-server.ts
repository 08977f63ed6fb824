import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { Secrets } from "../../../schema/contract/credential.ts";
import { formsOf } from "../../mask-forms.ts";
import { ExecutorFailure } from "../shared/failures.ts";

/** The port of implicit TLS (RFC 8314, 3.3). */
const SUBMISSIONS_PORT = 465;

export interface SmtpServer {
  /** Without brackets. */
  host: string;
  port: number;
  /** For messages: `host:port`. */
  where: string;
  security: "tls" | "starttls" | "none";
  login: SmtpLogin | null;
  /** Every form of the password; no message may contain one. */
  secretForms: readonly string[];
}

export interface SmtpLogin {
  user: string;
  password: string;
}

/** The mail server of a connection. Without a credential there is no login. */
export function smtpServer(config: ConnectionConfig<"email">, secrets: Secrets | null): SmtpServer {
  const { smtpHost, smtpPort, useTls } = config;
  const login = loginOf(config.fromAddress, secrets);
  return {
    host: smtpHost.replace(/^\[(.*)\]$/u, "$1"),
    port: smtpPort,
    where: `${smtpHost}:${smtpPort}`,
    security: !useTls ? "none" : smtpPort === SUBMISSIONS_PORT ? "tls" : "starttls",
    login,
    secretForms: login === null ? [] : [login.password, ...formsOf(login.password)],
  };
}

function loginOf(fromAddress: string, secrets: Secrets | null): SmtpLogin | null {
  if (secrets === null || Object.keys(secrets).length === 0) return null;
  // A password copied from a file may end with a line break.
  const password = (secrets["password"] ?? "").replace(/[\r\n]+$/u, "");
  const user = (secrets["username"] ?? "").trim() || fromAddress;
  if (password === "") {
    const message =
      "The connection's credential has no password. Deliver it with a password, or delete it if the server requires no login.";
    throw new ExecutorFailure("invalid_credential", message);
  }
  // RFC 4616: a NUL would end the name and begin the password.
  if (/\p{Cc}/u.test(user) || password.includes("\0")) {
    const message =
      "The connection's username or password has a control character, which no mail server accepts. Deliver the credential again.";
    throw new ExecutorFailure("invalid_credential", message);
  }
  return { user, password };
}
