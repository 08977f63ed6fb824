import { constants } from "node:fs";
import { open, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../atomic-file.ts";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";

const CHUNK_BYTES = 256 * 1_024;
/** With less, a job would hardly find room for its script. */
const FREE_MIN_BYTES = 1_024 * 1_024;

/** Whether an error says that the disk, or this user's quota, is full. */
export function isDiskFull(error: unknown): boolean {
  return hasCode(error, "ENOSPC") || hasCode(error, "EDQUOT");
}

/**
 * Disk space taken in advance, so that results can still be written when the disk is full. The file is emptied, not
 * removed: the disk may have run out of inodes as well.
 */
export class Reserve {
  readonly #path: string;
  readonly #bytes: number;
  readonly #log: Log;
  /** `impossible`: the file cannot be written for another reason than a full disk. The agent works without it. */
  #state: "unknown" | "whole" | "full" | "impossible" = "unknown";

  constructor(path: string, bytes: number, log: Log) {
    this.#path = path;
    this.#bytes = bytes;
    this.#log = log;
  }

  /** The disk was full at the last check: no new job may begin. */
  get isFull(): boolean {
    return this.#state === "full";
  }

  /** Takes the space if it is not taken yet, and checks for free space. Never throws. */
  async fill(): Promise<void> {
    if (this.#state === "impossible") return;
    try {
      // Space that was released for results is not taken again until there is really more.
      const missing = this.#state === "whole" ? 0 : this.#bytes - (await sizeOf(this.#path));
      const lack = await this.#lack(missing);
      if (lack !== null) return this.#noteFull(lack);
      if (missing > 0) await this.#take();
      if (this.#state === "full") this.#log.info("the disk has room again: new jobs are accepted");
      this.#state = "whole";
    } catch (error) {
      if (isDiskFull(error)) return this.#noteFull(describeError(error));
      if (this.#state === "full") return;
      this.#state = "impossible";
      this.#log.warning("space for results on a full disk cannot be reserved", { error: describeError(error) });
    }
  }

  /** Like `fill`, but leaves the first time, which writes megabytes, to `fill`. */
  async look(): Promise<void> {
    if (this.#state !== "unknown") await this.fill();
  }

  /** Releases the space after a write failed on a full disk. Never throws. */
  async spend(reason: unknown): Promise<void> {
    this.#noteFull(describeError(reason));
    const file = await open(this.#path, constants.O_RDWR).catch(() => null);
    if (file === null) return;
    await file.truncate(0).catch(() => undefined);
    await file.close();
  }

  async #take(): Promise<void> {
    const file = await open(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      let { size } = await file.stat();
      while (size < this.#bytes) {
        // Zeroes would take no space on a compressing file system.
        const chunk = crypto.getRandomValues(new Uint8Array(Math.min(CHUNK_BYTES, this.#bytes - size)));
        const { bytesWritten } = await file.write(chunk, 0, chunk.length, size);
        size += bytesWritten;
      }
      await file.sync();
    } catch (error) {
      await file.truncate(0).catch(() => undefined);
      throw error;
    } finally {
      await file.close();
    }
  }

  /** What is lacking; null when there is enough, or when the system does not say. */
  async #lack(missingBytes: number): Promise<string | null> {
    const disk = await statfs(dirname(this.#path)).catch(() => null);
    if (disk === null) return null;
    const freeBytes = disk.bavail * disk.bsize;
    if (freeBytes < missingBytes + FREE_MIN_BYTES) return `${freeBytes} bytes are free`;
    // Some file systems do not count files, and report 0 in total.
    return disk.files > 0 && disk.ffree === 0 ? "the disk can hold no more files" : null;
  }

  #noteFull(why: string): void {
    if (this.#state === "full") return;
    this.#state = "full";
    this.#log.error(
      "the disk is full: no new job begins until space is free; running jobs can still record their results",
      {
        directory: dirname(this.#path),
        neededBytes: this.#bytes + FREE_MIN_BYTES,
        error: why,
      },
    );
  }
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}
