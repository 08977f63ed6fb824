import { existsSync, readFileSync } from "node:fs";
import { replaceFile } from "../../atomic-file.ts";

/** Null when there is no such file. */
export function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

/** Replaces a whole file, and reports it. */
export async function writeAndSay(
  path: string,
  text: string,
  mode: number,
  say: (line: string) => void,
): Promise<void> {
  const verb = existsSync(path) ? "changed" : "wrote";
  await replaceFile(path, async (file) => {
    await file.writeFile(text);
    await file.chmod(mode);
  });
  say(`${verb} ${path}`);
}
