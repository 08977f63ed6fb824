import type { ExitCode } from "../exit-codes.ts";

/** A reason why a command cannot be done, for a person: what is wrong and what to do about it. */
export class CommandRefused extends Error {
  override readonly name = "CommandRefused";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
