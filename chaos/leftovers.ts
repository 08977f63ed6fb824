import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";

/**
 * The processes of a run that still run after `withinMs`. A killed agent's programs run on without it until their work
 * is done.
 */
export async function processesLeft(directory: string, withinMs: number): Promise<string[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const left = await processesIn(directory);
    if (left.length === 0 || performance.now() > deadline) return left;
    await Bun.sleep(100);
  }
}

/** Processes that run in the directory or name it in their command line, except this process. */
async function processesIn(directory: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => "");
      const line = (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
      // A zombie has neither.
      const isOurs = place.startsWith(directory) || line.includes(directory);
      return isOurs ? [`process ${pid}: ${line} (in ${place})`] : [];
    }),
  );
  return found.flat();
}

/** The command lines that contain one of these texts now. */
export async function commandLinesWith(texts: readonly string[]): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/u.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return lines
    .filter((line) => texts.some((text) => line.includes(text)))
    .map((line) => `command line: ${redacted(line, texts)}`);
}

/** The files below `directory` that hold one of these secrets, as plain text or in base64. */
export async function filesWith(directory: string, secrets: Readonly<Record<string, string>>): Promise<string[]> {
  const needles = Object.entries(secrets).flatMap(([name, secret]) => [
    { name, bytes: Buffer.from(secret) },
    // Without its end, which depends on the following bytes.
    { name: `${name} in base64`, bytes: Buffer.from(Buffer.from(secret).toString("base64").slice(0, -4)) },
  ]);
  const found: string[] = [];
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path);
    for (const { name, bytes: needle } of needles) {
      if (bytes.includes(needle)) found.push(`${name} is in ${path}`);
    }
  }
  return found;
}

function redacted(line: string, texts: readonly string[]): string {
  return texts.reduce((so, text) => so.replaceAll(text, "•••"), line.replaceAll("\0", " ")).slice(0, 300);
}
