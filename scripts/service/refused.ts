/** A problem that a person must fix first; the message says how. Exit codes are those of sysexits.h. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
