/**
 * Cuts long text between two lines if a line ends nearby, never inside a character, and never inside a form of a
 * secret, because the masker only finds whole forms (ARCHITECTURE.md#invariants).
 */
const LINE_SEARCH_BYTES = 4_096;
const NEWLINE = 0x0a;

export function encodeSecrets(secrets: readonly string[]): Uint8Array[] {
  return secrets.map((secret) => new TextEncoder().encode(secret));
}

/** Shortens the first bytes of a long text to a valid cut. */
export function cutAfterHead(head: Uint8Array, secrets: readonly Uint8Array[]): Uint8Array {
  const newline = head.lastIndexOf(NEWLINE);
  const nearby = newline >= 0 && newline >= head.length - LINE_SEARCH_BYTES;
  return withoutPartOfSecret(nearby ? head.subarray(0, newline + 1) : withoutHalfCharacter(head), secrets, "end");
}

/** Shortens the last bytes of a long text to a valid cut. */
export function cutBeforeTail(tail: Uint8Array, secrets: readonly Uint8Array[]): Uint8Array {
  let start = tail.subarray(0, LINE_SEARCH_BYTES).indexOf(NEWLINE) + 1;
  while (start < 3 && isContinuation(tail[start])) start += 1;
  return withoutPartOfSecret(tail.subarray(start), secrets, "start");
}

/** At most `limitBytes` of a text's UTF-8. */
export function cutText(
  text: string,
  limitBytes: number,
  secrets: readonly string[],
): { text: string; droppedBytes: number } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limitBytes) return { text, droppedBytes: 0 };
  const kept = cutAfterHead(bytes.subarray(0, limitBytes), encodeSecrets(secrets));
  return {
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(kept),
    droppedBytes: bytes.length - kept.length,
  };
}

function withoutHalfCharacter(bytes: Uint8Array): Uint8Array {
  let start = bytes.length - 1;
  while (start > bytes.length - 4 && isContinuation(bytes[start])) start -= 1;
  const lead = bytes[start];
  if (lead === undefined || lead < 0xc0) return bytes;
  const characterBytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  return bytes.length - start < characterBytes ? bytes.subarray(0, start) : bytes;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function withoutPartOfSecret(bytes: Uint8Array, secrets: readonly Uint8Array[], side: "start" | "end"): Uint8Array {
  let rest = bytes;
  // A cut that removes a part of one secret may leave a part of another at the new edge, so the check is repeated once
  // for each secret.
  for (let round = 0; round <= secrets.length; round += 1) {
    const size = Math.max(0, ...secrets.map((secret) => partBytes(rest, secret, side)));
    // A whole secret stays whole: without its edge, the masker would not find it.
    if (size <= Math.max(0, ...secrets.map((secret) => wholeBytes(rest, secret, side)))) return rest;
    rest = side === "end" ? rest.subarray(0, rest.length - size) : rest.subarray(size);
  }
  return rest;
}

/** The secret's length if all of it is at the edge, else 0. */
function wholeBytes(bytes: Uint8Array, secret: Uint8Array, side: "start" | "end"): number {
  const edge = side === "end" ? bytes.subarray(-secret.length) : bytes.subarray(0, secret.length);
  return Buffer.compare(edge, secret) === 0 ? secret.length : 0;
}

/** How many bytes at the edge are an incomplete part of the secret. */
function partBytes(bytes: Uint8Array, secret: Uint8Array, side: "start" | "end"): number {
  for (let size = Math.min(secret.length - 1, bytes.length); size > 0; size -= 1) {
    const edgeAt = side === "end" ? bytes.length - size : 0;
    const partAt = side === "end" ? 0 : secret.length - size;
    let same = 0;
    while (same < size && bytes[edgeAt + same] === secret[partAt + same]) same += 1;
    if (same === size) return size;
  }
  return 0;
}
