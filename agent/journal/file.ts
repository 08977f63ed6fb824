import { constants } from "node:fs";
import { open, readFile, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode, replaceFile, syncDirectory } from "../atomic-file.ts";
import { decodeLines, encodeLine, placeOf } from "./lines.ts";
import type { Place, ReadLines } from "./lines.ts";

interface Waiting {
  line: Buffer;
  resolve: (place: Place) => void;
  reject: (error: unknown) => void;
}

/**
 * An append-only file. `append` resolves when its line is on the disk. Appends that arrive during a write share the
 * next write and its fsync. A failed append leaves nothing behind and may be repeated.
 */
export class JournalFile {
  readonly #path: string;
  #handle: FileHandle;
  #end: number;
  #queue: Waiting[] = [];
  /** The current operation on the file: a batch of appends, or a rewrite. There is one at a time. */
  #busy: Promise<void> = Promise.resolve();

  private constructor(path: string, handle: FileHandle, end: number) {
    this.#path = path;
    this.#handle = handle;
    this.#end = end;
  }

  /**
   * Opens or creates the file and cuts off a torn end. Other damage, which no crash explains, is copied to `asidePath`
   * first.
   */
  static async open(path: string, asidePath: string): Promise<{ file: JournalFile; read: ReadLines }> {
    const contents = await contentsOf(path);
    const read = decodeLines(contents ?? Buffer.alloc(0));
    if (contents !== null && read.damaged) await writeFile(asidePath, contents, { mode: 0o600 });
    // Append mode would ignore the offsets that writes and reads rely on.
    const handle = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600);
    if (contents === null) await syncDirectory(dirname(path));
    else if (contents.length > read.end) await handle.truncate(read.end);
    return { file: new JournalFile(path, handle, read.end), read };
  }

  /** Bytes of whole lines. */
  get size(): number {
    return this.#end;
  }

  append(json: string): Promise<Place> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ line: encodeLine(json), resolve, reject });
      if (this.#queue.length === 1) void this.#exclusively(() => this.#writeQueue());
    });
  }

  /** Reads the JSON of one line. `place` is called when it is this call's turn, because a rewrite moves lines. */
  read(place: () => Place): Promise<string> {
    return this.#exclusively(() => readAt(this.#handle, place()));
  }

  /** Replaces all lines. `lines` may read by the old places. `moved` gets the new ones, before any other operation. */
  rewrite(
    lines: (readOld: (place: Place) => Promise<string>) => AsyncIterable<string>,
    moved: (places: Place[]) => void,
  ): Promise<void> {
    return this.#exclusively(async () => {
      const old = this.#handle;
      const places: Place[] = [];
      let end = 0;
      const write = async (file: FileHandle) => {
        for await (const json of lines((place) => readAt(old, place))) {
          const line = encodeLine(json);
          await writeAll(file, line, end);
          places.push(placeOf(line, end));
          end += line.length;
        }
        // Windows does not replace a file that is open.
        if (process.platform === "win32") await old.close();
      };
      try {
        await replaceFile(this.#path, write);
      } catch (error) {
        if (process.platform === "win32") this.#handle = await open(this.#path, "r+");
        throw error;
      }
      this.#handle = await open(this.#path, "r+");
      this.#end = end;
      moved(places);
      if (process.platform !== "win32") await old.close();
    });
  }

  async close(): Promise<void> {
    await this.#exclusively(() => this.#handle.close());
  }

  async #writeQueue(): Promise<void> {
    const batch = this.#queue;
    this.#queue = [];
    const bytes = Buffer.concat(batch.map(({ line }) => line));
    try {
      await writeAll(this.#handle, bytes, this.#end);
      await this.#handle.datasync();
    } catch (error) {
      // A part may be in the file. The next line must not follow that part.
      await this.#handle.truncate(this.#end).catch(() => undefined);
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { line, resolve } of batch) {
      resolve(placeOf(line, this.#end));
      this.#end += line.length;
    }
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#busy.then(work);
    this.#busy = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }
}

/** A disk with room for a part writes that part and reports ENOSPC only at the next write. */
async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw new Error(`wrote ${written} of ${bytes.length} bytes`);
    written += bytesWritten;
  }
}

async function readAt(handle: FileHandle, { offset, length }: Place): Promise<string> {
  const bytes = Buffer.alloc(length);
  await handle.read(bytes, 0, length, offset);
  return bytes.toString("utf8");
}

async function contentsOf(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null;
    throw error;
  }
}
