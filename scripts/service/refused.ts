/** Something that a person must change first; the message says what. Exit codes are those of sysexits.h. */
export class Refused extends Error {
  constructor(
    message: string,
    readonly exitCode = 1,
  ) {
    super(message);
  }
}
