/** Where the JSON of a line stands in the file. */
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
  /** Where the last whole line ends: what follows was torn by a crash, and is cut off before anything is appended. */
  end: number;
  /** Something that is not a whole line has whole ones after it, or is all there is: no crash while appending does that. */
  damaged: boolean;
}

const NEWLINE = 0x0a;
const CHECKSUM_CHARS = 8;
const PREFIX_BYTES = CHECKSUM_CHARS + 1;

/** One line of the journal: a checksum, a space, the JSON, a newline. */
export function encodeLine(json: string): Buffer {
  return Buffer.from(`${checksum(Buffer.from(json))} ${json}\n`);
}

/** Where the JSON of a line will stand that begins at `offset`. */
export function placeOf(line: Buffer, offset: number): Place {
  return { offset: offset + PREFIX_BYTES, length: line.length - PREFIX_BYTES - 1 };
}

/** Reads all whole lines and passes over the others. */
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
