/** Where an HTTP/1.1 message ends (RFC 9112, section 6): as much of the protocol as a fault proxy needs. */
export interface MessageHead {
  /** The head's length in bytes, with its empty line. */
  length: number;
  firstLine: string;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
}

const CRLF = "\r\n";
const HEAD_END = "\r\n\r\n";
const BODYLESS_STATUS = new Set([204, 304]);

/** Null while the head is incomplete. */
export function readHead(bytes: Buffer): MessageHead | null {
  const end = bytes.indexOf(HEAD_END);
  if (end < 0) return null;
  const [firstLine = "", ...lines] = bytes.toString("latin1", 0, end).split(CRLF);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  return { length: end + HEAD_END.length, firstLine, headers };
}

/** The length of the whole request; null while bytes are missing, NaN for invalid chunks. */
export function requestLength(head: MessageHead, bytes: Buffer): number | null {
  return bodyEnd(head, bytes, head.length);
}

/**
 * The length of the whole answer; null while bytes are missing, "untilClose" when the connection's end marks the
 * answer's end.
 */
export function answerLength(head: MessageHead, bytes: Buffer, method: string): number | null | "untilClose" {
  const status = statusOf(head);
  if (method === "HEAD" || BODYLESS_STATUS.has(status) || status < 200) return head.length;
  return bodyEnd(head, bytes, "untilClose");
}

export function statusOf(head: MessageHead): number {
  return Number(head.firstLine.split(" ")[1]);
}

/** The method, and the path without its query. */
export function targetOf(head: MessageHead): { method: string; path: string } {
  const [method = "", target = ""] = head.firstLine.split(" ");
  return { method, path: target.split("?", 1)[0] ?? target };
}

function bodyEnd<T>({ headers, length }: MessageHead, bytes: Buffer, withoutLength: T): number | null | T {
  if (headers.get("transfer-encoding")?.toLowerCase().includes("chunked") === true) return chunksEnd(bytes, length);
  const declared = headers.get("content-length");
  if (declared === undefined) return withoutLength;
  const end = length + Number(declared);
  return bytes.length < end ? null : end;
}

function chunksEnd(bytes: Buffer, from: number): number | null {
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf(CRLF, at);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    // An invalid chunk: the message's end is unknown.
    if (Number.isNaN(size)) return Number.NaN;
    if (size === 0) {
      // Without trailers the empty line follows immediately; with trailers it comes after the last one.
      const end = bytes.indexOf(HEAD_END, lineEnd);
      return end < 0 ? null : end + HEAD_END.length;
    }
    at = lineEnd + CRLF.length + size + CRLF.length;
    if (at > bytes.length) return null;
  }
}
