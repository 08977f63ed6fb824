import { constants } from "node:fs";
import type { Stats } from "node:fs";
import { open, stat } from "node:fs/promises";
import { answerInTime } from "./answer-in-time.ts";
import { ProgramError } from "./program.ts";

/**
 * Reads a regular file; a device or a pipe would never end. Throws the system's error, or `not_a_file`, `too_large` and
 * `no_answer`.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<Uint8Array> {
  return answerInTime(read(path, maxBytes), "no_answer", "it");
}

async function read(path: string, maxBytes: number): Promise<Uint8Array> {
  check(await stat(path), maxBytes);
  // If a pipe has replaced the file, a blocking open would wait for a writer, and no timer ends that.
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    check(await file.stat(), maxBytes);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function check(found: Stats, maxBytes: number): void {
  if (!found.isFile()) throw new ProgramError("not_a_file", "is not a file");
  if (found.size > maxBytes) throw new ProgramError("too_large", `has ${found.size} bytes, more than ${maxBytes}`);
}
