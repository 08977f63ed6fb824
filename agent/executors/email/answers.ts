import type { JsonObject } from "../../../schema/contract/json.ts";
import { errorCode, errorMessage, ExecutorFailure } from "../shared/failures.ts";
import type { SmtpServer } from "./smtp-server.ts";

const QUOTED_MAX_CHARS = 500;
const SHOWN_MAX = 5;
const TEMPORARY = " This is temporary: give the node a retry.";

/** How far a session had come when it failed. */
export interface Progress {
  /** The greeting, EHLO and encryption are done. */
  greeted: boolean;
  securing: boolean;
  loggedIn: boolean;
  /** The final dot may have been sent: the message is the server's now, or nobody knows. */
  handedOver: boolean;
}

export interface Reply {
  /** Null where the server gave none. */
  statusCode: number | null;
  text: string;
}

/** `250-first`, `250 second` (RFC 5321, 4.2.1) as one line, in which no password stands: some servers repeat what they were sent. */
export function replyOf(response: string, server: SmtpServer): Reply {
  const statusCode = /^(\d{3})(?:[ -]|$)/u.exec(response)?.[1];
  const lines = response.split(/\r?\n/u).map((line) => line.replace(/^\d{3}(?:[ -]|$)/u, ""));
  const text = lines
    .join(" ")
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  const repeats = server.secretForms.some((form) => response.includes(form) || text.includes(form));
  return {
    statusCode: statusCode === undefined ? null : Number(statusCode),
    text: repeats ? "(its words repeat the password and are left out)" : text.slice(0, QUOTED_MAX_CHARS).toWellFormed(),
  };
}

/** The recipients that the server did not take, each with its words: `{address, statusCode, detail}`. */
export function rejectedOf(errors: readonly unknown[] | undefined, server: SmtpServer): JsonObject[] {
  return (errors ?? []).map((error) => {
    const { recipient, response } = fieldsOf(error);
    const { statusCode, text } = replyOf(response ?? "", server);
    return { address: recipient ?? "", statusCode, detail: text };
  });
}

/** What a failure of the session means, and what to do about it. */
export function explain(error: unknown, server: SmtpServer, progress: Progress): ExecutorFailure {
  const { where, login } = server;
  const { response, command, responseCode, rejectedErrors } = fieldsOf(error);
  const code = errorCode(error);
  const fail = (name: string, message: string, output: JsonObject | null = null): ExecutorFailure =>
    new ExecutorFailure(name, message, output, { cause: error });
  const reply = replyOf(response ?? "", server);
  const said = `${reply.statusCode ?? ""} ${reply.text}`.trim();
  const temporary = isTemporary(reply.statusCode) ? TEMPORARY : "";

  if (progress.securing || code === "ETLS") return fail("tls_error", tlsMessage(error, server, said));
  if (responseCode === undefined && code !== "EMESSAGE") {
    const reason = replyOf(errorMessage(error), server).text;
    if (progress.handedOver) {
      return fail(
        "outcome_unknown",
        `${where} had been given the whole message, but the connection ended before it said whether it took it (${reason}). Look whether it arrived before you send it again.`,
      );
    }
    if (!progress.greeted) {
      return fail(
        "unreachable",
        `${where} accepted the connection but did not greet as a mail server: ${reason}. Check the port, and useTls: 465 is encrypted from the start, 587 and 25 begin plain.`,
      );
    }
    return fail("connection_lost", `The connection to ${where} broke off, and the message was not sent: ${reason}.`);
  }
  if (code === "EAUTH" && temporary !== "") {
    return fail("authentication_failed", `${where} cannot check logins now: ${said}.${temporary}`);
  }
  if (code === "EAUTH" || responseCode === 530) {
    const who = login === null ? "No password was delivered to this agent" : `It was for ${login.user}`;
    return fail(
      "authentication_failed",
      `${where} did not accept the login: ${said}. ${who}. Check it, and deliver the connection's credential again.`,
    );
  }
  if (rejectedErrors !== undefined) {
    const rejected = rejectedOf(rejectedErrors, server);
    const shown = rejected.slice(0, SHOWN_MAX).map((one) => `${one["address"]}: ${one["statusCode"]} ${one["detail"]}`);
    const wait = rejected.every((one) => isTemporary(one["statusCode"])) ? TEMPORARY : "";
    const more = rejected.length > SHOWN_MAX ? `; and ${rejected.length - SHOWN_MAX} more` : "";
    return fail(
      "recipients_refused",
      `${where} refused every recipient, and nothing was sent: ${shown.join("; ")}${more}. Check the addresses${progress.loggedIn ? "" : ", and whether the server wants a login"}.${wait}`,
      { accepted: [], rejected },
    );
  }
  if (!progress.greeted) return fail("unreachable", `${where} does not serve this agent: ${said}.${temporary}`);
  const what = command === "MAIL FROM" && responseCode !== undefined ? "the sender" : "the message";
  const reason = said === "" ? errorMessage(error) : said;
  return fail("message_refused", `${where} refused ${what}, and nothing was sent: ${reason}.${temporary}`);
}

/** RFC 5321, 4.2.1: what begins with a 4 may be taken when it is tried again. */
function isTemporary(statusCode: unknown): boolean {
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500;
}

function tlsMessage(error: unknown, { where, security }: SmtpServer, said: string): string {
  if (said !== "") {
    return `${where} offers no encryption by STARTTLS: ${said}. Use a port that does, or port 465; useTls false sends everything readable.`;
  }
  const reason = errorMessage(error);
  const cause = fieldsOf(error).originalCode ?? "";
  const remedy = /WRONG_VERSION|closed unexpectedly|ECONNRESET|timed out|no answer/iu.test(`${reason} ${cause}`)
    ? `Check that this port speaks TLS ${security === "tls" ? "from the start" : "by STARTTLS"}`
    : "Check that smtpHost is the name in its certificate, and install the issuer's certificate on the agent's host";
  return `No secure connection to ${where}: ${reason}${cause === "" ? "" : ` (${cause})`}. ${remedy}.`;
}

/** What the library's errors carry. */
interface MailErrorFields {
  response?: string | undefined;
  responseCode?: number | undefined;
  command?: string | undefined;
  recipient?: string | undefined;
  originalCode?: string | undefined;
  rejectedErrors?: readonly unknown[] | undefined;
}

function fieldsOf(error: unknown): MailErrorFields {
  return typeof error === "object" && error !== null ? { ...error } : {};
}
