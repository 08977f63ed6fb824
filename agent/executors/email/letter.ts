import MailComposer from "nodemailer/lib/mail-composer";
import type { ActionParams } from "../../../schema/contract/action.ts";
import { domainOf, type Mailbox } from "../../../schema/contract/mail-address.ts";
import { invalidParams } from "../shared/failures.ts";
import type { Recipients } from "./recipients.ts";

type LetterParams = Pick<ActionParams<"email.sendEmail">, "subject" | "text" | "html" | "attachments">;
type Attachment = NonNullable<LetterParams["attachments"]>[number];

export interface Letter {
  /** With angle brackets. */
  messageId: string;
  /** Headers and body as they are sent. The SMTP session doubles the dots. */
  message: Buffer;
}

const TOKEN = String.raw`[A-Za-z0-9!#$&^_.+-]+`;
const CONTENT_TYPE = new RegExp(
  String.raw`^(${TOKEN})/${TOKEN}(?:\s*;\s*${TOKEN}=(?:${TOKEN}|"[\u0020\u0021\u0023-\u005b\u005d-\u007e]*"))*$`,
  "u",
);

/** The message with all its parts (RFC 5322, MIME). Blind copies are in no header. */
export async function composeLetter(
  params: LetterParams,
  { from, recipients, id, date }: { from: string; recipients: Recipients; id: string; date: Date },
): Promise<Letter> {
  const { text, html, attachments = [] } = params;
  const isBlank = `${text ?? ""}${html ?? ""}`.trim() === "";
  if ((text === undefined && html === undefined) || (isBlank && attachments.length === 0))
    throw invalidParams("The message is empty. Give text, html or both.");
  const messageId = `<${id}@${domainOf(from)}>`;
  const node = new MailComposer({
    from,
    to: recipients.to.map(shown),
    cc: recipients.cc.map(shown),
    // Line breaks in a title from outside become blanks, never another header.
    subject: params.subject
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, " ")
      .trim(),
    ...(text === undefined ? {} : { text: text.toWellFormed() }),
    ...(html === undefined ? {} : { html: html.toWellFormed() }),
    attachments: attachments.map(attachmentOf),
    messageId,
    date,
    // RFC 3834: asks for no automatic reply, such as an absence note.
    headers: { "Auto-Submitted": "auto-generated" },
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  return { messageId, message: await node.build() };
}

function shown({ name, address }: Mailbox): { name: string; address: string } {
  return { name: name ?? "", address };
}

/** Only bytes: the library would read a path, or fetch an address, if it were given one. */
function attachmentOf({ filename, content, encoding, contentType }: Attachment) {
  if (/[\p{Cc}/\\]/u.test(filename) || !filename.isWellFormed()) {
    const named = JSON.stringify(filename.slice(0, 100));
    throw invalidParams(
      `The attachment ${named} needs a name without slashes, line breaks or other control characters.`,
    );
  }
  const type = contentType?.trim();
  if (type !== undefined && type !== "") checkContentType(filename, type);
  return {
    filename,
    content: encoding === "base64" ? decodedBase64(filename, content) : Buffer.from(content.toWellFormed()),
    ...(type === undefined || type === "" ? {} : { contentType: type }),
    contentDisposition: "attachment",
  };
}

function checkContentType(filename: string, type: string): void {
  const kind = CONTENT_TYPE.exec(type)?.[1]?.toLowerCase();
  if (kind === undefined) {
    throw invalidParams(`The contentType of the attachment ${filename} must be a media type, such as text/csv.`);
  }
  if (kind === "multipart" || kind === "message") {
    throw invalidParams(
      `The attachment ${filename} cannot have a contentType of ${kind}/…, which is for parts of the message itself. Use application/octet-stream.`,
    );
  }
}

function decodedBase64(filename: string, content: string): Buffer {
  const packed = content.replaceAll(/\s+/gu, "");
  const digits = packed.replace(/={1,2}$/u, "");
  if (/^[A-Za-z0-9+/]*$/u.test(digits) && digits.length % 4 !== 1) return Buffer.from(digits, "base64");
  throw invalidParams(
    `The content of the attachment ${filename} is not base64. Encode it, or set its encoding to utf8 for plain text.`,
  );
}
