/** The place of a line's JSON in the file. */
export interface Place {
  offset: number;
  length: number;
}

export interface ReadLine {
  json: string;
  place: Place;
}

export interface ReadLines {
  lines: ReadLine[];
  /** The end of the last whole line. A crash tore the bytes after it, which are cut off before the next append. */
  end: number;
  /** Broken lines are followed by whole ones, or there are no others. A crash during an append cannot cause that. */
  damaged: boolean;
}

const NEWLINE = 0x0a;
const CHECKSUM_CHARS = 8;
const PREFIX_BYTES = CHECKSUM_CHARS + 1;

/** One line of the journal: a checksum, a space, the JSON, a newline. */
export function encodeLine(json: string): Buffer {
  return Buffer.from(`${checksum(Buffer.from(json))} ${json}\n`);
}

/** The place of the JSON in a line that begins at `offset`. */
export function placeOf(line: Buffer, offset: number): Place {
  return { offset: offset + PREFIX_BYTES, length: line.length - PREFIX_BYTES - 1 };
}

/** Reads all whole lines and skips the others. */
export function decodeLines(bytes: Buffer): ReadLines {
  const lines: ReadLine[] = [];
  let end = 0;
  let damaged = false;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, start);
    if (newline === -1) break;
    const json = decodeLine(bytes.subarray(start, newline));
    if (json !== null) {
      if (end !== start) damaged = true;
      const place = placeOf(bytes.subarray(start, newline + 1), start);
      lines.push({ json, place });
      end = newline + 1;
    }
    start = newline + 1;
  }
  if (lines.length === 0 && bytes.includes(NEWLINE)) damaged = true;
  return { lines, end, damaged };
}

function decodeLine(line: Buffer): string | null {
  if (line.length <= PREFIX_BYTES || line[CHECKSUM_CHARS] !== 0x20) return null;
  const json = line.subarray(PREFIX_BYTES);
  return line.toString("latin1", 0, CHECKSUM_CHARS) === checksum(json) ? json.toString("utf8") : null;
}

function checksum(bytes: Buffer): string {
  return Bun.hash.crc32(bytes).toString(16).padStart(CHECKSUM_CHARS, "0");
}
