import type { JsonObject } from "../../../schema/contract/json.ts";
import type { RejectedRecipient } from "../../../schema/contract/notification.ts";
import { isTemporaryReply, readSmtpFailure, smtpErrorOf, type ShowText } from "../../../schema/contract/smtp-reply.ts";
import { ExecutorFailure } from "../shared/failures.ts";
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
  /** The final dot may have been sent: the server has the message, or its state is unknown. */
  handedOver: boolean;
}

/** The server's text on one line, without passwords: some servers repeat what they received. */
export function wordsOf({ secretForms }: SmtpServer): ShowText {
  return (words, response) => {
    const text = words.replaceAll(/\p{Cc}+/gu, " ").trim();
    return secretForms.some((form) => response.includes(form) || text.includes(form))
      ? "(its words repeat the password and are left out)"
      : text.slice(0, QUOTED_MAX_CHARS).toWellFormed();
  };
}

/** What a failure of the session means, and what to do about it. */
export function explain(error: unknown, server: SmtpServer, progress: Progress): ExecutorFailure {
  const { where } = server;
  const { kind, statusCode, text, rejected } = readSmtpFailure(error, progress, wordsOf(server));
  const said = `${statusCode ?? ""} ${text}`.trim();
  const temporary = isTemporaryReply(statusCode) ? TEMPORARY : "";
  const fail = (name: string, message: string, output: JsonObject | null = null): ExecutorFailure =>
    new ExecutorFailure(name, message, output, { cause: error });
  switch (kind) {
    case "tls":
      return fail("tls_error", statusCode === null ? brokenTls(error, server, text) : noTls(where, said, temporary));
    case "unknown":
      return fail(
        "outcome_unknown",
        `${where} was sent the whole message, but did not say whether it accepts the message (${said}). Check whether the message arrived before you send it again.`,
      );
    case "login":
      return fail("authentication_failed", refusedLogin(server, said, temporary));
    case "recipients":
      return fail("recipients_refused", refusedRecipients(rejected, where, progress), { accepted: [], rejected });
    case "lost":
      return progress.greeted
        ? fail("connection_lost", `The connection to ${where} broke off, and the message was not sent: ${text}.`)
        : fail(
            "unreachable",
            `${where} accepted the connection but did not answer like a mail server: ${text}. Check the port, and useTls: 465 is encrypted from the start, 587 and 25 begin plain.`,
          );
    case "refused":
    case "too_large": {
      if (!progress.greeted) return fail("unreachable", `${where} refuses this agent: ${said}.${temporary}`);
      const what = kind === "refused" && smtpErrorOf(error).command === "MAIL FROM" ? "the sender" : "the message";
      return fail("message_refused", `${where} refused ${what}, and nothing was sent: ${said}.${temporary}`);
    }
  }
}

function noTls(where: string, said: string, temporary: string): string {
  if (temporary !== "") return `${where} cannot encrypt now: ${said}.${temporary}`;
  return `${where} offers no encryption by STARTTLS: ${said}. Use a port that does, or port 465; with useTls false everything is sent without encryption.`;
}

function brokenTls(error: unknown, { where, security }: SmtpServer, reason: string): string {
  const cause = smtpErrorOf(error).originalCode ?? "";
  const remedy = /WRONG_VERSION|closed unexpectedly|ECONNRESET|timed out|no answer/iu.test(`${reason} ${cause}`)
    ? `Check that this port speaks TLS ${security === "tls" ? "from the start" : "by STARTTLS"}`
    : "Check that smtpHost is the name in its certificate, and install the issuer's certificate on the agent's host";
  return `No secure connection to ${where}: ${reason}${cause === "" ? "" : ` (${cause})`}. ${remedy}.`;
}

function refusedLogin({ where, login }: SmtpServer, said: string, temporary: string): string {
  if (temporary !== "") return `${where} cannot check logins now: ${said}.${temporary}`;
  const who = login === null ? "No password was delivered to this agent" : `The login was for ${login.user}`;
  return `${where} did not accept the login: ${said}. ${who}. Check it, and deliver the connection's credential again.`;
}

function refusedRecipients(rejected: readonly RejectedRecipient[], where: string, { loggedIn }: Progress): string {
  const shown = rejected.slice(0, SHOWN_MAX).map((one) => `${one.address}: ${one.statusCode} ${one.detail}`);
  const more = rejected.length > SHOWN_MAX ? `; and ${rejected.length - SHOWN_MAX} more` : "";
  const login = loggedIn ? "" : ", and whether the server requires a login";
  const wait = rejected.every(({ statusCode }) => isTemporaryReply(statusCode)) ? TEMPORARY : "";
  return `${where} refused every recipient, and nothing was sent: ${shown.join("; ")}${more}. Check the addresses${login}.${wait}`;
}
