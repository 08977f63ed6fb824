/** A range of bytes: the first, and the number of bytes, at least one. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const ONE_RANGE = /^bytes\s*=\s*(?:(\d{1,16})\s*-\s*(\d{1,16})?|-\s*(\d{1,16}))\s*$/iu;

/**
 * The range of `size` bytes that `Range` requests (RFC 9110, 14.2); `unsatisfiable`, a 416, when there are no such
 * bytes; null to send everything: without the header, for another unit or an invalid value, and for several ranges,
 * which a server may always ignore.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | "unsatisfiable" | null {
  const match = ONE_RANGE.exec(header?.trim() ?? "");
  if (match === null) return null;
  const [, first, last, suffix] = match;
  if (suffix !== undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  const end = last === undefined ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== undefined && Number(last) < offset) return null;
  return offset >= size ? "unsatisfiable" : { offset, length: end - offset + 1 };
}

/** `Content-Range` of a 206; without the range, of a 416. */
export function contentRange(size: number, range?: ByteRange): string {
  return `bytes ${range === undefined ? "*" : `${range.offset}-${range.offset + range.length - 1}`}/${size}`;
}

/**
 * Whether `If-Range` allows sending the range (RFC 9110, 13.1.5): when it is absent, or is exactly this strong tag. A
 * date never does: there is no date to compare it with.
 */
export function rangeStillFits(ifRange: string | undefined, etag: string): boolean {
  return ifRange === undefined || ifRange.trim() === etag;
}
