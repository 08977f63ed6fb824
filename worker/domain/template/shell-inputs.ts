import type { Holder } from "./shell-flows.ts";

/** The input of a pipeline, by its number. */
export type Input = number;

const EVERY_INPUT: Holder = "<input>";
/** What `exec < file` gives to everything that follows. */
const SHARED_INPUT: Holder = "<input of all>";

/**
 * Which commands read what a pipeline or a redirection brings: those of the same pipeline, with all of the groups, loops
 * and branches in it. What stands in a function may be run in any pipeline.
 */
export class ShellInputs {
  /** The pipeline that is being read. */
  own: Input = 0;
  readonly #around = new Map<Input, Input>();
  #last: Input = 0;

  /** A new pipeline, in a command of another one. */
  begin(around: Input): Input {
    this.#last += 1;
    if (around !== 0) this.#around.set(this.#last, around);
    this.own = this.#last;
    return this.own;
  }

  /** The holders of an input that is written to; `shared` is everybody's. */
  written(input: Input | "shared"): Holder[] {
    return [EVERY_INPUT, input === "shared" ? SHARED_INPUT : holderOf(input)];
  }

  /** The holders that a command may read here. */
  readable(scope: string): Holder[] {
    if (scope !== "") return [EVERY_INPUT];
    const found: Holder[] = [SHARED_INPUT];
    for (let input: Input | undefined = this.own; input !== undefined; input = this.#around.get(input))
      found.push(holderOf(input));
    return found;
  }

  get every(): Holder[] {
    return [EVERY_INPUT];
  }
}

function holderOf(input: Input): Holder {
  return `<input ${input}>`;
}
