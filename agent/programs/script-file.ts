import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const sweeps = new Map<string, Promise<void>>();

export interface ScriptFile {
  path: string;
  /** An empty directory for this job, and its working directory unless the job names another. */
  directory: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Writes a script that only this user can read. Disposing removes it and everything that the job left next to it. */
export async function writeScript(parent: string, script: { fileName: string; text: string }): Promise<ScriptFile> {
  // Removes scripts that a killed agent left behind. No other process uses the directory, so the first job may clear
  // it. Concurrent jobs wait for the same sweep, because a second one would remove the first job's files. A directory
  // that cannot be removed does no harm: each job has a separate one.
  const sweep = sweeps.get(parent) ?? rm(parent, { recursive: true, force: true }).catch(() => undefined);
  sweeps.set(parent, sweep);
  await sweep;
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(join(parent, "job-"));
  const directory = join(own, "work");
  await mkdir(directory, { mode: 0o700 });
  const path = join(own, script.fileName);
  await writeFile(path, scriptText(script), { mode: 0o600, flag: "wx" });
  const dispose = async (): Promise<void> => {
    // Files that cannot be removed now (on Windows, an open file) are removed at the next start.
    await rm(own, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  };
  return { path, directory, [Symbol.asyncDispose]: dispose };
}

/** The text as the interpreter needs it in a file. */
export function scriptText({ fileName, text }: { fileName: string; text: string }): string {
  // Without this mark, Windows PowerShell reads a file in the local code page.
  return fileName.endsWith(".ps1") ? `\uFEFF${text}` : text;
}
