import { errorCode, errorMessage, ExecutorFailure, jobEnded } from "../../shared/failures.ts";
import { unreachable } from "../../shared/dial.ts";
import { quotedWithin } from "../../shared/quoted.ts";

/** The content of an error token (MS-TDS 2.2.7.10). */
export interface ServerError {
  number: number;
  message: string;
}

const UNKNOWN_DATABASE = new Set([4_060, 4_063, 4_064, 911]);
const LOGIN_REFUSED = new Set([18_450, 18_452, 18_456, 18_457, 18_458, 18_461, 18_470, 18_486, 18_487, 18_488, 40_532]);
const NO_ROOM = new Set([10_928, 10_929, 17_300, 17_809, 40_197, 40_501, 40_613]);
const FIREWALL = 40_615;
const READ_ONLY_DATABASE = new Set([3_906, 3_908, 976, 978]);

/** Why the login failed. `said`: the errors that the server sent during the login. */
export function loginFailure(
  error: unknown,
  at: {
    where: string;
    username: string;
    database: string;
    said: readonly ServerError[];
    secrets: readonly string[];
    signal: AbortSignal;
  },
): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  if (at.signal.aborted) return jobEnded(`It was still connecting to ${at.where}.`);
  const fail = (code: string, message: string): ExecutorFailure =>
    new ExecutorFailure(code, message, null, { cause: error });
  const serverError = (numbers: ReadonlySet<number>): string | null => {
    const found = at.said.find(({ number }) => numbers.has(number));
    return found === undefined ? null : `${quotedWithin(found.message, at.secrets)} (error ${found.number})`;
  };
  const unknown = serverError(UNKNOWN_DATABASE);
  if (unknown !== null) {
    const remedy = `Correct the connection's database, or give ${at.username} access to ${at.database}.`;
    return fail("invalid_config", `${at.where} cannot open the database: ${unknown}. ${remedy}`);
  }
  const firewall = serverError(new Set([FIREWALL]));
  if (firewall !== null)
    return fail(
      "unreachable",
      `${at.where} refuses the address of the agent's host: ${firewall}. Add the address to the firewall there.`,
    );
  const full = serverError(NO_ROOM);
  if (full !== null)
    return fail(
      "unreachable",
      `${at.where} accepts no further work now: ${full}. Try again later, and check the server's load.`,
    );
  const refused = serverError(LOGIN_REFUSED);
  if (refused !== null || errorCode(error) === "ELOGIN") {
    const reason = refused ?? quotedWithin(errorMessage(error), at.secrets);
    const remedy =
      "Check the user name and the password, deliver the credential again, and check that the server allows SQL Server authentication";
    return fail("authentication_failed", `${at.where} refused the login of ${at.username}: ${reason}. ${remedy}.`);
  }
  return connectFailure(error, at, fail);
}

function connectFailure(
  error: unknown,
  { where, secrets }: { where: string; secrets: readonly string[] },
  fail: (code: string, message: string) => ExecutorFailure,
): ExecutorFailure {
  const reason = quotedWithin(errorMessage(error), secrets);
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ExecutorFailure) return cause;
  switch (errorCode(error)) {
    case "EENCRYPT":
      return fail(
        "tls_error",
        reason.includes("requires encryption")
          ? `${where} accepts only encrypted connections, but tls is off. Set tls to verify or require on the connection.`
          : `${where} offers no TLS, but the connection requires it. Give the server a certificate, or set tls to off on the connection: then others in the network can read everything, including the login.`,
      );
    case "ETIMEOUT":
      return fail(
        "unreachable",
        `${where} accepted the connection, but was not ready in time: ${reason}. Check that SQL Server listens there, and its load.`,
      );
    default:
      break;
  }
  if (isCertificateProblem(cause)) {
    const message = `No secure connection to ${where}: ${quotedWithin(errorMessage(cause), secrets)} (${errorCode(cause)}). Install the issuer's certificate on the agent's host (or name it in NODE_EXTRA_CA_CERTS) and connect by a name that the certificate has, or set tls to require on the connection: then the server's identity is not checked.`;
    return fail("tls_error", message);
  }
  if (["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH"].includes(errorCode(cause)))
    return unreachable(where, cause);
  return fail("unreachable", `${where} ended the login: ${reason}. Check that SQL Server listens there, and its log.`);
}

/** Node's and Bun's codes for certificate problems and for a broken handshake. */
function isCertificateProblem(cause: unknown): boolean {
  const code = errorCode(cause);
  return /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|^ERR_(TLS|SSL|BORINGSSL)|EPROTO|CRL/u.test(code);
}

/** Why a statement failed: the server refused it, or the connection ended. */
export function statementFailure(error: unknown, at: { where: string; secrets: readonly string[] }): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const all = error instanceof AggregateError ? [...error.errors] : [error];
  const [first] = all;
  const options = { cause: error };
  const number = numberOf(first);
  if (number === null) {
    if (errorCode(first) === "EPARAM") {
      return new ExecutorFailure(
        "query_failed",
        `A value cannot be sent: ${quotedWithin(errorMessage(first), at.secrets)}.`,
        null,
        options,
      );
    }
    const message = `The connection to ${at.where} ended while the statement ran: ${quotedWithin(errorMessage(first), at.secrets)}. It is not known whether the statement was carried out. Check before you run it again.`;
    return new ExecutorFailure("connection_lost", message, null, options);
  }
  // One fault often causes several messages. The last ones say what happened to the batch.
  const said = [...new Set(all.map((part) => quotedWithin(errorMessage(part), at.secrets)))].slice(0, 3).join("; ");
  if (READ_ONLY_DATABASE.has(number)) {
    return new ExecutorFailure("read_only", `${at.where} refused to write: ${said} (error ${number}).`, null, options);
  }
  const message = `SQL Server refused the statement: ${said} (error ${number}${lineOf(first)}).${advice(number)}`;
  return new ExecutorFailure("query_failed", message, null, options);
}

function advice(number: number): string {
  if (number === 1_205) return " The server rolled it back to end a deadlock. Run it again.";
  if (number === 229 || number === 262) return " Grant the login the rights that the statement needs.";
  return "";
}

function lineOf(error: unknown): string {
  const line = propertyOf(error, "lineNumber");
  return typeof line === "number" && line > 0 ? `, line ${line}` : "";
}

function numberOf(error: unknown): number | null {
  const number = propertyOf(error, "number");
  return typeof number === "number" ? number : null;
}

function propertyOf(error: unknown, name: string): unknown {
  return typeof error === "object" && error !== null ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
}
