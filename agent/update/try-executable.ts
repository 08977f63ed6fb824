import { CommandRefused } from "../credentials/refused.ts";
import { inheritedEnvironment } from "../executors/shared/environment.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";

const LIMIT_MS = 30_000;

/** Runs `<path> --version` and returns the version. Throws CommandRefused when the file does not run or is no agent. */
export async function versionOf(path: string): Promise<string> {
  let said: string;
  try {
    const child = Bun.spawn([path, "--version"], {
      env: inheritedEnvironment(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      signal: AbortSignal.timeout(LIMIT_MS),
      killSignal: "SIGKILL",
    });
    const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    if (code !== 0) throw new Error(`it ended with exit code ${code}`);
    said = text.trim();
  } catch (error) {
    throw new CommandRefused(EXIT.failed, `${path} does not run on this machine (${describeError(error)})`, {
      cause: error,
    });
  }
  const version = /^bellhop-agent (\S{1,64})$/u.exec(said)?.[1];
  if (version === undefined)
    throw new CommandRefused(
      EXIT.failed,
      `${path} does not answer --version as an agent does. Install another version: bellhop-agent update --version <version>`,
    );
  return version;
}
