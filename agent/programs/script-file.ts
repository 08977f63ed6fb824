import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const sweeps = new Map<string, Promise<void>>();

export interface ScriptFile {
  path: string;
  /** An empty directory for this job alone, where it runs unless it names another. */
  directory: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Writes a script where only this user can read it; disposing removes it with everything the job left beside it. */
export async function writeScript(parent: string, script: { fileName: string; text: string }): Promise<ScriptFile> {
  // What a killed agent left behind. The directory is this process's alone, so the first job may clear it.
  // All that begin at once wait for the same sweep: a second one would take away what the first job made.
  // A directory that cannot be removed even now does no harm: each job has a separate one.
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
    // What cannot be removed now (on Windows, a file that is still open) is swept at the next start.
    await rm(own, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  };
  return { path, directory, [Symbol.asyncDispose]: dispose };
}

/** As the interpreter wants it in a file. */
export function scriptText({ fileName, text }: { fileName: string; text: string }): string {
  // Windows PowerShell takes a file without this mark for the local code page.
  return fileName.endsWith(".ps1") ? `\uFEFF${text}` : text;
}
