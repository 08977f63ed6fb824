import { fileURLToPath } from "node:url";

/** What starts this agent again, as another process: the executable; while developing, the runtime and its main file. */
export function ownCommand(...command: string[]): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/iu.test(Bun.main);
  return compiled
    ? [process.execPath, ...command]
    : [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url)), ...command];
}
