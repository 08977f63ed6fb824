import type { ExitCode } from "../exit-codes.ts";

/** Why a command cannot be done, for a person: what is wrong, then what to do. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
