import type { Mailbox } from "../../../schema/contract/mail-address.ts";

/** A text message for people. No field can begin another header, or end the message. */
export interface MailMessage {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly subject: string;
  readonly text: string;
  /** Without angle brackets; the same at every attempt, so that receivers recognise a repetition. */
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly date: number;
}

const LINE_MAX_CHARS = 76;
const ENCODED_WORD_MAX_CHARS = 75;
/** RFC 5322, 2.1.1, allows 998; a longer text than usual is encoded, so that it can be broken anywhere. */
const PLAIN_HEADER_MAX_CHARS = 60;

/**
 * The message in its wire form (RFC 5322): seven-bit, with CRLF. The SMTP client doubles dots at the beginning of
 * lines.
 */
export function composeMail({ from, to, subject, text, messageId, date }: MailMessage): string {
  const headers = [
    `From: ${mailboxHeader(from)}`,
    `To: ${to.map(mailboxHeader).join(",\r\n ")}`,
    `Subject: ${textHeader(subject)}`,
    `Date: ${new Date(date).toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${messageId}>`,
    "MIME-Version: 1.0",
    // RFC 3834: asks for no automatic reply, such as an absence note.
    "Auto-Submitted: auto-generated",
    "Content-Type: text/plain; charset=utf-8",
    "Content-Transfer-Encoding: quoted-printable",
  ];
  return `${headers.join("\r\n")}\r\n\r\n${quotedPrintable(text)}\r\n`;
}

/** The text of a header on one line, encoded by RFC 2047 if needed. Line breaks and other controls become spaces. */
export function textHeader(text: string): string {
  const line = text.replaceAll(/\p{Cc}+/gu, " ").trim();
  const plain = /^[\u0020-\u007e]*$/u.test(line) && line.length <= PLAIN_HEADER_MAX_CHARS && !line.includes("=?");
  return plain ? line : encodedWords(line);
}

/** RFC 2045, 6.7. */
export function quotedPrintable(text: string): string {
  return text
    .split(/\r\n|\r|\n/u)
    .map(quotedPrintableLine)
    .join("\r\n");
}

function mailboxHeader({ name, address }: Mailbox): string {
  if (name === null) return `<${address}>`;
  const isPlain = /^[\u0020-\u007e]+$/u.test(name) && name.length <= PLAIN_HEADER_MAX_CHARS && !name.includes("=?");
  const shown = isPlain ? `"${name.replaceAll(/["\\]/gu, "\\$&")}"` : encodedWords(name);
  return `${shown}\r\n <${address}>`;
}

function quotedPrintableLine(line: string): string {
  const tokens = Array.from(line.toWellFormed(), (character) =>
    /[\t\u0020-\u003c\u003e-\u007e]/u.test(character) ? character : escaped(character),
  );
  const last = tokens.at(-1);
  // A space at the end of a line may be lost in transport.
  if (last === " " || last === "\t") tokens[tokens.length - 1] = escaped(last);
  // One character less than the limit: a soft break ends with "=".
  return wrapped(tokens, LINE_MAX_CHARS - 1).join("=\r\n");
}

/** RFC 2047, 4.2; a word never splits a character. */
function encodedWords(text: string): string {
  const tokens = Array.from(text.toWellFormed(), (character) => {
    if (character === " ") return "_";
    return /[A-Za-z0-9!*+/-]/u.test(character) ? character : escaped(character);
  });
  const [begin, end] = ["=?UTF-8?Q?", "?="];
  return wrapped(tokens, ENCODED_WORD_MAX_CHARS - begin.length - end.length)
    .map((word) => `${begin}${word}${end}`)
    .join("\r\n ");
}

/** `=XX` for each byte of the character's UTF-8. */
function escaped(character: string): string {
  const percent = encodeURIComponent(character);
  return percent.startsWith("%") ? percent.replaceAll("%", "=") : `=${hex(character)}`;
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
}

function wrapped(tokens: readonly string[], maxChars: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const token of tokens) {
    if (line.length + token.length > maxChars) {
      lines.push(line);
      line = "";
    }
    line += token;
  }
  return [...lines, line];
}
