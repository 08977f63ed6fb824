import { errorCode, errorMessage, ExecutorFailure } from "../../shared/failures.ts";
import { quotedWithin } from "../../shared/quoted.ts";

const LOGIN_REFUSED = /^28/u;
/** The server ended the connection: an administrator's command, a crash, a dropped database. */
const ENDED_BY_SERVER = new Set(["57P01", "57P02", "57P04", "57P05", "25P03", "25P04"]);

/** Why the login failed, from the error of pg or the server. */
export function loginFailure(
  error: unknown,
  at: { where: string; username: string; database: string; secrets: readonly string[] },
): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const code = errorCode(error);
  const said = quotedWithin(errorMessage(error), at.secrets);
  const fail = (failure: string, message: string): ExecutorFailure =>
    new ExecutorFailure(failure, message, null, { cause: error });
  if (code === "28000" && /encryption|SSL/u.test(said)) {
    return fail(
      "tls_error",
      `${at.where} does not accept this login: ${said}. Check the connection's tls setting, and pg_hba.conf there.`,
    );
  }
  if (LOGIN_REFUSED.test(code) || said.startsWith("SASL")) {
    const message = `${at.where} refused the login of ${at.username}: ${said}. Check the user name and the password, deliver the credential again, and see pg_hba.conf there.`;
    return fail("authentication_failed", message);
  }
  if (code === "42501") {
    return fail(
      "authentication_failed",
      `${at.where} accepts the login of ${at.username}, but refuses the database ${at.database}: ${said}. Grant CONNECT on the database.`,
    );
  }
  if (code === "3D000") {
    return fail("invalid_config", `${at.where} has no such database: ${said}. Correct the connection's database.`);
  }
  if (code === "53300") {
    return fail(
      "unreachable",
      `${at.where} has no connections left: ${said}. Raise max_connections or the role's limit there, or close idle connections.`,
    );
  }
  if (code === "57P03") return fail("unreachable", `${at.where} is not ready: ${said}. Try again when it has started.`);
  return fail("unreachable", `${at.where} ended the login: ${said}. Check that PostgreSQL listens there, and its log.`);
}

/** Why a statement failed: the server refused it, or the connection ended. */
export function statementFailure(
  error: unknown,
  at: { where: string; readOnly: boolean; secrets: readonly string[] },
): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const code = errorCode(error);
  const said = quotedWithin(errorMessage(error), at.secrets);
  const options = { cause: error };
  if (!/^[0-9A-Z]{5}$/u.test(code) || ENDED_BY_SERVER.has(code)) {
    const message = `The connection to ${at.where} ended while the statement ran: ${said}. It is not known whether the statement was carried out. Check before you run it again.`;
    return new ExecutorFailure("connection_lost", message, null, options);
  }
  if (code === "25006") {
    const why = at.readOnly ? "the action is readOnly" : "the server or the role is read-only: is it a standby?";
    return new ExecutorFailure("read_only", `${at.where} refused to write: ${said} (${why}).`, null, options);
  }
  const position = field(error, "position");
  const place = position === "" ? "" : `, at character ${position}`;
  const detail = [field(error, "detail"), field(error, "hint")]
    .filter((text) => text !== "")
    .map((text) => ` ${quotedWithin(text, at.secrets)}`);
  const message = `PostgreSQL refused the statement: ${said} (SQLSTATE ${code}${place}).${detail.join("")}${advice(code, said)}`;
  return new ExecutorFailure("query_failed", message, null, options);
}

function advice(code: string, said: string): string {
  if (said.includes("multiple commands"))
    return " An action runs one statement: use an action for each, or a function.";
  if (code === "42P18") return " Give the value a type, as in {{inputs.name}}::text.";
  if (code === "57014" && !said.startsWith("COPY"))
    return " The server ended it: its statement_timeout, or an administrator.";
  return "";
}

function field(error: unknown, name: "position" | "detail" | "hint"): string {
  if (typeof error !== "object" || error === null) return "";
  const value = Object.getOwnPropertyDescriptor(error, name)?.value as unknown;
  return typeof value === "string" ? value : "";
}
