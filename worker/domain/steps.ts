/**
 * The budget for one request's check and dry run. A step is one character that a lexer reads; other work counts as many
 * steps as it takes time, at most 0.1 µs each, so that a request stays below 500 ms (`npm run bench -- abuse`).
 */
const STEPS_MAX = 2_000_000;

/** Thrown when a check exceeds its budget; answered with the problem `too_complex`. */
export class TooComplex extends Error {
  constructor() {
    super(
      "Checking this workflow would take too long. Move long scripts into files on the host, and use fewer templates and patterns.",
    );
    this.name = "TooComplex";
  }
}

/** Counts the steps of a check, so that no request blocks the service for long. */
export class Steps {
  spent = 0;
  readonly #max: number;

  constructor(max: number = STEPS_MAX) {
    this.#max = max;
  }

  spend(count: number): void {
    this.spent += count;
    if (this.spent > this.#max) throw new TooComplex();
  }
}
