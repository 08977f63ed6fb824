import { existsSync, readdirSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { eventually } from "./eventually.ts";

/** The process number in a file, after a program has written it. */
export async function pidIn(file: string): Promise<number> {
  return await eventually(`a process id in ${file}`, async () => {
    const text = existsSync(file) ? await readFile(file, "utf8") : "";
    return /^\d+\n$/u.test(text) ? Number(text) : null;
  });
}

/** Whether a process runs; a zombie (Z), or one that the kernel is removing (X), does not. */
export function isRunning(pid: number): boolean {
  try {
    // The state follows the name, which may have any character but is in parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/u.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** Whether a text is on the command line of any process. The lines themselves belong to other programs. */
export function onAnyCommandLine(text: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(text);
      } catch {
        return false;
      }
    });
}

/** The numbers of a process's descendants. */
export function descendantsOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}
