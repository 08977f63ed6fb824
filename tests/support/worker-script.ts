import { readFile, rename, writeFile } from "node:fs/promises";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { WORKER_FILE_VARIABLE } from "../../scripts/test-run.ts";

let script: Promise<string> | undefined;

/** The bundled Worker. Bundling takes longer than many tests, so the first file of a run does it for all. */
export function workerScript(): Promise<string> {
  return (script ??= sharedBundle(process.env[WORKER_FILE_VARIABLE]));
}

async function sharedBundle(file: string | undefined): Promise<string> {
  if (file === undefined) return bundleWorker();
  const shared = await readFile(file, "utf8").catch(() => null);
  if (shared !== null) return shared;
  const bundled = await bundleWorker();
  // Written under another name, then renamed: another file of the run reads no half bundle.
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, bundled);
  await rename(aside, file);
  return bundled;
}
