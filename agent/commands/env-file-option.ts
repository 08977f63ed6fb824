import type { Environment } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { commandEnvironment } from "./environment.ts";

const NAME = "--env-file";

/**
 * Removes `--env-file` from a command's words, and returns the environment with that file applied
 * (`commandEnvironment`). Throws CommandRefused and StartRefused.
 */
export function withEnvFile(args: readonly string[]): { words: string[]; env: Environment } {
  const at = args.findIndex((word) => word === NAME || word.startsWith(`${NAME}=`));
  if (at === -1) return { words: [...args], env: process.env };
  const isNext = args[at] === NAME;
  const path = isNext ? (args[at + 1] ?? "") : (args[at] ?? "").slice(NAME.length + 1);
  if (path === "") throw new CommandRefused(EXIT.usage, `${NAME} needs the path of a file`);
  const { env } = commandEnvironment(path, { orInstalled: false });
  return { words: args.toSpliced(at, isNext ? 2 : 1), env };
}
