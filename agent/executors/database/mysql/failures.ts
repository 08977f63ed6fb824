import { errorCode, errorMessage, ExecutorFailure } from "../../shared/failures.ts";
import { noTls } from "../../shared/tcp-session.ts";
import { quotedWithin } from "../../shared/quoted.ts";

const LOGIN_REFUSED = new Set([
  "ER_ACCESS_DENIED_ERROR",
  "ER_ACCESS_DENIED_NO_PASSWORD_ERROR",
  "ER_ACCOUNT_HAS_BEEN_LOCKED",
]);
const HOST_REFUSED = new Set(["ER_HOST_NOT_PRIVILEGED", "ER_HOST_IS_BLOCKED"]);
const TOO_MANY = new Set(["ER_CON_COUNT_ERROR", "ER_TOO_MANY_USER_CONNECTIONS", "ER_USER_LIMIT_REACHED"]);
const WRITE_REFUSED = new Set([
  "ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION",
  "ER_OPTION_PREVENTS_STATEMENT",
  "ER_READ_ONLY_MODE",
]);
/** Error numbers of MySQL and of MariaDB (ER_STATEMENT_TIMEOUT), for which mysql2 has no name. */
const TIME_OVER = new Set([3_024, 1_969]);

/** Why the login failed, from the error of mysql2 or the server. */
export function loginFailure(
  error: unknown,
  at: { where: string; username: string; database: string; secrets: readonly string[] },
): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const code = errorCode(error);
  const said = quotedWithin(errorMessage(error), at.secrets);
  const fail = (failure: string, message: string): ExecutorFailure =>
    new ExecutorFailure(failure, message, null, { cause: error });
  if (code === "HANDSHAKE_NO_SSL_SUPPORT") return noTls(at.where, "Turn it on there (ssl_cert and ssl_key)");
  if (code === "ER_SECURE_TRANSPORT_REQUIRED") {
    return fail(
      "tls_error",
      `${at.where} accepts no login over a connection without TLS: ${said}. Set tls to verify on the connection.`,
    );
  }
  if (code === "ER_BAD_DB_ERROR") {
    return fail("invalid_config", `${at.where} has no such database: ${said}. Correct the connection's database.`);
  }
  if (code === "ER_DBACCESS_DENIED_ERROR") {
    return fail(
      "authentication_failed",
      `${at.where} accepts the login of ${at.username}, but refuses the database ${at.database}: ${said}. Grant the account rights on the database.`,
    );
  }
  if (LOGIN_REFUSED.has(code) || code.startsWith("AUTH_SWITCH") || code === "MYSQL_CLEAR_PASSWORD_NOT_ENABLED") {
    const message = `${at.where} refused the login of ${at.username}: ${said}. Check the user name, its host part and the password, and deliver the credential again.`;
    return fail("authentication_failed", message);
  }
  if (HOST_REFUSED.has(code)) {
    return fail(
      "authentication_failed",
      `${at.where} refuses this agent's host: ${said}. Grant the account access from it, or run FLUSH HOSTS there.`,
    );
  }
  if (TOO_MANY.has(code)) {
    return fail(
      "unreachable",
      `${at.where} has no connections left: ${said}. Raise max_connections there, or close idle connections.`,
    );
  }
  return fail(
    "unreachable",
    `${at.where} ended the login: ${said}. Check that MySQL or MariaDB listens there, and its log.`,
  );
}

/** Why a statement failed: the server refused it, or the connection ended. */
export function statementFailure(
  error: unknown,
  at: { where: string; readOnly: boolean; secrets: readonly string[] },
): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const code = errorCode(error);
  const number = errorNumber(error);
  const said = quotedWithin(errorMessage(error), at.secrets);
  const options = { cause: error };
  if (number === 0 || isFatal(error)) {
    const message = `The connection to ${at.where} ended while the statement ran: ${said}. It is not known whether the statement was carried out. Check before you run it again.`;
    return new ExecutorFailure("connection_lost", message, null, options);
  }
  if (WRITE_REFUSED.has(code)) {
    const why = at.readOnly ? "the action is readOnly" : "the server is read-only: is it a replica?";
    return new ExecutorFailure("read_only", `${at.where} refused to write: ${said} (${why}).`, null, options);
  }
  const state = sqlState(error);
  const message = `The server refused the statement: ${said} (error ${number}${state === "" ? "" : `, SQLSTATE ${state}`}).${advice(code, number)}`;
  return new ExecutorFailure("query_failed", message, null, options);
}

function advice(code: string, number: number): string {
  if (code === "ER_PARSE_ERROR") return " An action runs one statement: nothing may follow a semicolon.";
  if (TIME_OVER.has(number)) return " The server ended it: its own time limit is shorter than the action's.";
  if (code === "ER_QUERY_INTERRUPTED") return " Another session ended the statement on the server.";
  return "";
}

function errorNumber(error: unknown): number {
  if (typeof error !== "object" || error === null || !("errno" in error)) return 0;
  return typeof error.errno === "number" && error.errno > 0 ? error.errno : 0;
}

function isFatal(error: unknown): boolean {
  return typeof error === "object" && error !== null && "fatal" in error && error.fatal === true;
}

function sqlState(error: unknown): string {
  if (typeof error !== "object" || error === null || !("sqlState" in error)) return "";
  return typeof error.sqlState === "string" ? error.sqlState : "";
}
