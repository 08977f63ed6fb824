import { isLoopback } from "../contract/loopback.ts";
import { parseMailbox } from "../contract/mail-address.ts";
import type { Mailbox } from "../contract/mail-address.ts";
import { textLike, valid } from "./parse.ts";
import type { Parsed } from "./setting.ts";
import { decoded, isSafeUrl, parsedUrl } from "./url.ts";

/** The parsers of notification channels, for settings of the environment and for stored ones. */
export const SMS_API_URL_DEFAULT = "https://api.twilio.com/";
const SMS_SENDER = /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}|MG[0-9a-f]{32})$/u;

export function parseMailSender(text: string): Parsed<Mailbox> {
  return valid(parseMailbox(text), 'must be a mail address like "Bellhop <alerts@example.com>"');
}

export const parseAccountSid = textLike(/^[A-Za-z0-9_-]{1,64}$/u, "must be an account SID of letters and digits");

export const parseSmsSender = textLike(
  SMS_SENDER,
  "must be a number like +15005550006, a short code, a name of up to 11 letters, or MG…",
);

export function parseApiAddress(text: string): Parsed<string> {
  return valid(
    isSafeUrl(text) ? parsedUrl(text)?.href : null,
    "must be an https address without a user or password; http is only for this machine",
  );
}

/** How to reach a mail server; `none` only on this machine. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: "tls" | "starttls" | "none";
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** `?starttls=required` requires encryption even on this machine. */
export function parseSmtpServer(address: string): Parsed<SmtpServer> {
  const url = parsedUrl(address);
  if (url === null || !["smtp:", "smtps:"].includes(url.protocol) || url.hostname === "") {
    return { problem: "must be the address of a mail server like smtp://user:password@mail.example.com:587" };
  }
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (user === null || password === null || (user === "") !== (password === "")) {
    return {
      problem: "must have both user and password, or neither; escape special characters in them, such as @ as %40",
    };
  }
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const tls = url.protocol === "smtps:";
  const wanted = url.searchParams.get("starttls") === "required" || !isLoopback(host);
  return {
    value: {
      host,
      port: url.port === "" ? (tls ? 465 : 587) : Number(url.port),
      security: tls ? "tls" : wanted ? "starttls" : "none",
      login: user === "" ? null : { user, password },
    },
  };
}

const SECRET_PREFIX = "whsec_";
const SECRET_MIN_BYTES = 24;
const SECRET_MAX_BYTES = 64;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u;

/** The keys of `whsec_<base64>` (Standard Webhooks), several separated by spaces, as base64. */
export function parseWebhookSecrets(text: string): Parsed<string[]> {
  const keys = text
    .split(/\s+/u)
    .filter((part) => part !== "")
    .map((part) => (part.startsWith(SECRET_PREFIX) ? part.slice(SECRET_PREFIX.length) : ""));
  return valid(
    keys.length > 0 && keys.every(isKey) ? keys : null,
    "must be whsec_ and 24 to 64 bytes in base64; several are separated by spaces",
  );
}

function isKey(key: string): boolean {
  const bytes = (key.length / 4) * 3 - (key.length - key.replace(/=+$/u, "").length);
  return BASE64.test(key) && bytes >= SECRET_MIN_BYTES && bytes <= SECRET_MAX_BYTES;
}
