import { STREAM_MAX_BYTES } from "../../../schema/limits.ts";
import { cutBeforeTail, cutAfterHead, encodeSecrets } from "./cut.ts";

/** A long stream keeps its beginning and, as the larger part, its end, where a failing program says why. */
const HEAD_MAX_BYTES = STREAM_MAX_BYTES / 4;
const TAIL_MAX_BYTES = STREAM_MAX_BYTES - HEAD_MAX_BYTES;
const MARKER_MAX_BYTES = 64;

export interface CappedText {
  text: string;
  /** The bytes between the kept beginning and end. */
  droppedBytes: number;
}

/**
 * Collects a stream of any length in bounded memory. Up to 256 KiB all of it is kept. A longer stream keeps its
 * beginning and its end, with a line between them that says how much was left out; together at most 256 KiB of UTF-8.
 */
export class CappedStream {
  #head: Uint8Array = new Uint8Array(0);
  /** A ring buffer of the bytes after the head. */
  #tail: Uint8Array = new Uint8Array(0);
  #total = 0;
  readonly #secrets: readonly Uint8Array[];

  constructor(secrets: readonly string[] = []) {
    this.#secrets = encodeSecrets(secrets);
  }

  push(chunk: Uint8Array): void {
    const toHead = chunk.subarray(0, Math.max(0, HEAD_MAX_BYTES - this.#total));
    if (toHead.length > 0) {
      if (this.#head.length === 0) this.#head = new Uint8Array(HEAD_MAX_BYTES);
      this.#head.set(toHead, this.#total);
      this.#total += toHead.length;
    }
    const toTail = chunk.subarray(toHead.length);
    if (toTail.length > 0) this.#pushTail(toTail);
  }

  /** The kept text. A smaller `limitBytes` keeps less of both ends. */
  read(limitBytes: number = STREAM_MAX_BYTES): CappedText {
    for (let keepBytes = Math.min(limitBytes, this.#total); ;) {
      const { bytes, droppedBytes } =
        this.#total > keepBytes ? this.#cut(keepBytes) : { bytes: this.#kept(), droppedBytes: 0 };
      const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
      const textBytes = Buffer.byteLength(text);
      if (textBytes <= limitBytes) return { text, droppedBytes };
      // Invalid UTF-8 grows when it is decoded: each invalid byte becomes three.
      keepBytes = Math.floor((limitBytes / textBytes) * keepBytes * 0.98);
    }
  }

  #pushTail(bytes: Uint8Array): void {
    if (this.#tail.length === 0) this.#tail = new Uint8Array(TAIL_MAX_BYTES);
    const newest = bytes.subarray(-TAIL_MAX_BYTES);
    const start = (this.#total - HEAD_MAX_BYTES + bytes.length - newest.length) % TAIL_MAX_BYTES;
    const untilEnd = Math.min(newest.length, TAIL_MAX_BYTES - start);
    this.#tail.set(newest.subarray(0, untilEnd), start);
    this.#tail.set(newest.subarray(untilEnd), 0);
    this.#total += bytes.length;
  }

  /** Head and tail in order, which is all of a short stream. */
  #kept(): Uint8Array {
    const head = this.#head.subarray(0, Math.min(this.#total, HEAD_MAX_BYTES));
    const afterHead = this.#total - head.length;
    if (afterHead <= TAIL_MAX_BYTES) return Buffer.concat([head, this.#tail.subarray(0, afterHead)]);
    const oldest = afterHead % TAIL_MAX_BYTES;
    return Buffer.concat([head, this.#tail.subarray(oldest), this.#tail.subarray(0, oldest)]);
  }

  #cut(limitBytes: number): { bytes: Uint8Array; droppedBytes: number } {
    const kept = this.#kept();
    const headBytes = Math.floor(limitBytes / 4);
    const head = cutAfterHead(kept.subarray(0, headBytes), this.#secrets);
    const tail = cutBeforeTail(kept.subarray(-(limitBytes - headBytes - MARKER_MAX_BYTES)), this.#secrets);
    const droppedBytes = this.#total - head.length - tail.length;
    const lineStart = head.length === 0 || head.at(-1) === 0x0a ? "" : "\n";
    const marker = new TextEncoder().encode(`${lineStart}[... ${droppedBytes} bytes left out ...]\n`);
    return { bytes: Buffer.concat([head, marker, tail]), droppedBytes };
  }
}
