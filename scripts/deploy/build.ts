import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildConsole } from "../build-console.ts";
import { bundleWorker } from "../bundle-worker.ts";

/** Builds the files to upload, and returns one line for each part. Throws with the builder's message. */
export async function buildUpload(): Promise<string[]> {
  const script = await bundleWorker();
  const directory = await buildConsole();
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  return [
    `The Worker is built: ${kib(Buffer.byteLength(script))}, ${kib(gzipSync(script).byteLength)} compressed.`,
    `The console is built: ${files.length} files, ${kib(sizes.reduce((sum, size) => sum + size, 0))}.`,
  ];
}

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}
