import { CommandRefused } from "../credentials/refused.ts";
import { inheritedEnvironment } from "../executors/shared/environment.ts";
import { EXIT } from "../exit-codes.ts";

const LIMIT_MS = 120_000;

export interface ProgramResult {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * Runs a program of the system to its end, with English messages and without the agent's key in its environment.
 * Returns the result with any exit code. Throws CommandRefused when the program is missing.
 */
export async function runProgram(program: string, args: readonly string[]): Promise<ProgramResult> {
  const env: Record<string, string> = {
    ...inheritedEnvironment(),
    LC_ALL: "C",
    SYSTEMD_COLORS: "0",
    SYSTEMD_PAGER: "",
    SYSTEMD_URLIFY: "0",
  };
  const path = Bun.which(program, { PATH: env["PATH"] ?? env["Path"] ?? "" });
  if (path === null) {
    throw new CommandRefused(
      EXIT.unavailable,
      `${program} is not on the PATH of this user. It is part of the operating system: add its directory to PATH`,
    );
  }
  const child = Bun.spawn([path, ...args], {
    env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, stdout, stderr };
}

/** Like `runProgram`, but throws when the exit code is not 0. */
export async function mustRun(program: string, args: readonly string[], toDo: string): Promise<string> {
  const { code, stdout, stderr } = await runProgram(program, args);
  if (code === 0) return stdout;
  const said = `${stderr.trim()} ${stderr.trim() === "" ? stdout.trim() : ""}`
    .trim()
    .replaceAll(/\s+/gu, " ")
    .slice(0, 1_000);
  throw new CommandRefused(EXIT.failed, `${toDo} failed: ${program} ended with exit code ${code}: ${said}`);
}
