import type { RejectedRecipient } from "./notification.ts";

/** Why a message was not accepted. */
export interface SmtpFailure {
  readonly kind:
    /** No encryption. Without a status code the handshake failed. */
    | "tls"
    /** The login was refused or is missing. */
    | "login"
    /** All recipients were refused. */
    | "recipients"
    /** nodemailer did not send the message, because the server's limit is lower. */
    | "too_large"
    /** Any other refusal. */
    | "refused"
    /** No answer, and nothing was sent. */
    | "lost"
    /** The server may have the message. */
    | "unknown";
  /** Null where the server gave none. */
  readonly statusCode: number | null;
  readonly text: string;
  readonly rejected: RejectedRecipient[];
}

/** Takes secrets and control characters out of a server's text and cuts it; `response` is where the text was read. */
export type ShowText = (text: string, response: string) => string;

/** Reads an error of nodemailer. `handedOver`: the final dot may have been sent. */
export function readSmtpFailure(
  error: unknown,
  { securing, handedOver }: { securing: boolean; handedOver: boolean },
  show: ShowText,
): SmtpFailure {
  const { code, response, rejectedErrors } = smtpErrorOf(error);
  const { statusCode, text } = readReply(response ?? (error instanceof Error ? error.message : String(error)), show);
  const kindOf = (): SmtpFailure["kind"] => {
    if (securing || code === "ETLS") return "tls";
    // A 354 to the final dot, or words without a code, do not say that the message was refused.
    if (handedOver && (statusCode ?? 0) < 400) return "unknown";
    if (statusCode === null) return code === "EMESSAGE" ? "too_large" : "lost";
    if (code === "EAUTH" || statusCode === 530) return "login";
    return rejectedErrors === undefined ? "refused" : "recipients";
  };
  return { kind: kindOf(), statusCode, text, rejected: readRejected(rejectedErrors, show) };
}

/** `250-first`, `250 second` (RFC 5321, 4.2.1) as one line without the codes. */
export function readReply(response: string, show: ShowText): Pick<SmtpFailure, "statusCode" | "text"> {
  const statusCode = /^(\d{3})(?:[ -]|$)/u.exec(response)?.[1];
  const lines = response.split(/\r?\n/u).map((line) => line.replace(/^\d{3}(?:[ -]|$)/u, ""));
  return { statusCode: statusCode === undefined ? null : Number(statusCode), text: show(lines.join(" "), response) };
}

export function readRejected(errors: readonly unknown[] = [], show: ShowText): RejectedRecipient[] {
  return errors.map((error) => {
    const { recipient, response } = smtpErrorOf(error);
    const { statusCode, text } = readReply(response ?? "", show);
    return { address: recipient ?? "", statusCode, detail: text };
  });
}

/** RFC 5321, 4.2.1: 4yz may pass, 5yz will not. */
export function isTemporaryReply(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 400 && statusCode < 500;
}

/** What nodemailer's errors carry. */
export function smtpErrorOf(error: unknown): {
  code?: string;
  response?: string;
  command?: string;
  recipient?: string;
  originalCode?: string;
  rejectedErrors?: readonly unknown[];
} {
  return typeof error === "object" && error !== null ? { ...error } : {};
}
