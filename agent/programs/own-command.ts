import { fileURLToPath } from "node:url";

/** The command that starts this agent as another process: the executable, or in development the runtime and main.ts. */
export function ownCommand(...command: string[]): string[] {
  const compiled = Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/iu.test(Bun.main);
  return compiled
    ? [process.execPath, ...command]
    : [process.execPath, fileURLToPath(new URL("../main.ts", import.meta.url)), ...command];
}
