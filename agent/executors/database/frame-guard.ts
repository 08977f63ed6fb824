/** A row that is longer would be held whole by the drivers before anybody could say that it is too much. */
export const MESSAGE_MAX_BYTES = 16 * 1_024 * 1_024 - 1;

/** How a protocol says where its messages end. */
export interface Framing {
  headerBytes: number;
  /** How many bytes follow the header. */
  bodyBytes(header: Buffer): number;
}

/** PostgreSQL: a type of one byte, and a length that counts itself. */
export const POSTGRES_FRAMING: Framing = { headerBytes: 5, bodyBytes: (header) => header.readUInt32BE(1) - 4 };
/** MySQL: a length of three bytes and a sequence number; a longer row is in several packets, each of the full length. */
export const MYSQL_FRAMING: Framing = { headerBytes: 4, bodyBytes: (header) => header.readUIntLE(0, 3) };

/** Watches what a server sends, and says when a message begins that is too large to be held. */
export class FrameGuard {
  #header = Buffer.alloc(0);
  #bodyLeft = 0;
  readonly #framing: Framing;

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  /** Whether all messages up to here fit. */
  accepts(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length) {
      const skipped = Math.min(this.#bodyLeft, chunk.length - at);
      at += skipped;
      this.#bodyLeft -= skipped;
      if (at === chunk.length) break;
      const missing = this.#framing.headerBytes - this.#header.length;
      this.#header = Buffer.concat([this.#header, chunk.subarray(at, at + missing)]);
      at += missing;
      if (this.#header.length < this.#framing.headerBytes) break;
      this.#bodyLeft = this.#framing.bodyBytes(this.#header);
      this.#header = Buffer.alloc(0);
      if (this.#bodyLeft < 0 || this.#bodyLeft >= MESSAGE_MAX_BYTES) return false;
    }
    return true;
  }
}
