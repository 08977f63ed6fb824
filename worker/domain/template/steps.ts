/** What checking one workflow may cost: about 100 ms a million. A step is one character that a lexer looks at. */
const STEPS_MAX = 3_000_000;

/** Thrown when a check has cost more than it may; answered with the problem `too_complex`. */
export class TooComplex extends Error {
  constructor() {
    super("Checking the code of this workflow would take too long.");
    this.name = "TooComplex";
  }
}

/** Counts the steps of a check, so that no request keeps the service from others for long. */
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
