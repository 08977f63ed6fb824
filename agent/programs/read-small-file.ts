import { readFile, stat } from "node:fs/promises";
import { ProgramError } from "./program.ts";

/** Throws the system's error, or `not_a_file` and `too_large`: a device or a pipe would never end. */
export async function readSmallFile(path: string, maxBytes: number): Promise<Uint8Array> {
  const found = await stat(path);
  if (!found.isFile()) throw new ProgramError("not_a_file", "is not a file");
  if (found.size > maxBytes) throw new ProgramError("too_large", `has ${found.size} bytes, more than ${maxBytes}`);
  return await readFile(path);
}
