import { CommandRefused } from "../credentials/refused.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { describeError } from "../log.ts";

/** Runs a command. Writes its refusal to standard error and returns the refusal's exit code. */
export async function orRefused(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandRefused || error instanceof StartRefused) {
      process.stderr.write(`bellhop-agent: ${error.message}\n`);
      return error.exitCode;
    }
    process.stderr.write(`bellhop-agent: stopped by an unexpected error: ${describeError(error)}\n`);
    return EXIT.failed;
  }
}
