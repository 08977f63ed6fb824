/**
 * Exit codes of the process, with the numbers of sysexits.h where one fits. A service manager should not restart after
 * `usage`, `superseded` and `config`: a person has to act.
 */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 64,
  badInput: 65,
  unavailable: 69,
  stalled: 70,
  cannotCreate: 73,
  inUse: 75,
  superseded: 76,
  notAllowed: 77,
  config: 78,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A reason not to start, for a person: what is wrong, then what to do. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
