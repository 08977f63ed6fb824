/** Drivers would hold a longer row in memory before its size could be checked. */
export const MESSAGE_MAX_BYTES = 16 * 1_024 * 1_024 - 1;

/** How a protocol marks the end of a message. */
export interface Framing {
  headerBytes: number;
  /** How many bytes follow the header. */
  bodyBytes(header: Buffer): number;
}

/** PostgreSQL: a type of one byte, and a length that includes itself. */
export const POSTGRES_FRAMING: Framing = { headerBytes: 5, bodyBytes: (header) => header.readUInt32BE(1) - 4 };
/** MySQL: a length of three bytes and a sequence number. A longer row has several packets, each of the full length. */
export const MYSQL_FRAMING: Framing = { headerBytes: 4, bodyBytes: (header) => header.readUIntLE(0, 3) };

/** Reads the headers of a server's messages, and reports the start of a message that is too large. */
export class FrameGuard {
  #header = Buffer.alloc(0);
  #bodyLeft = 0;
  readonly #framing: Framing;

  constructor(framing: Framing) {
    this.#framing = framing;
  }

  /** Whether all messages so far are small enough. */
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
