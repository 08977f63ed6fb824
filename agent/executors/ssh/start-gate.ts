import type { CappedStream } from "../shared/capped-stream.ts";

/** A login shell may greet before it runs anything; what it says is kept only this far, for an error. */
const NOISE_MAX_BYTES = 8_192;
const NOISE_SHOWN_CHARS = 500;

export interface Started {
  /** Null on a host that has no means to tell it. */
  group: number | null;
  directory: string;
}

/**
 * The beginning of a remote program's standard output: what comes before the line `<mark> <group> <directory>` is the
 * login shell's; what follows is the script's, and goes on to `output`.
 */
export class StartGate {
  started: Started | null = null;
  /** Why the remote program did not start the script, when it said so. */
  refusal: "directory" | "interpreter" | null = null;
  readonly opened: Promise<Started>;
  readonly #open: (started: Started) => void;
  #before = Buffer.alloc(0);

  constructor(
    private readonly mark: string,
    private readonly output: CappedStream,
  ) {
    const { promise, resolve } = Promise.withResolvers<Started>();
    this.opened = promise;
    this.#open = resolve;
  }

  push(chunk: Buffer): void {
    if (this.started !== null) return this.output.push(chunk);
    this.#before = Buffer.concat([this.#before, chunk]);
    const start = this.#before.indexOf(`${this.mark} `);
    const end = start < 0 ? -1 : this.#before.indexOf("\n", start);
    if (end >= 0) this.#read(this.#before.subarray(start, end).toString("utf8"), this.#before.subarray(end + 1));
    else if (start < 0) this.#before = this.#before.subarray(-NOISE_MAX_BYTES);
  }

  /** What the account's shell said instead. */
  noise(): string {
    const text = this.#before.toString("utf8").trim().slice(0, NOISE_SHOWN_CHARS);
    return text === "" ? "It said nothing." : `It said: ${text}`;
  }

  #read(line: string, rest: Buffer): void {
    const [, first = "", ...others] = line.split(" ");
    if (first === "!directory" || first === "!interpreter") {
      this.refusal = first === "!directory" ? "directory" : "interpreter";
      return;
    }
    // The group goes into a kill, where 0 would be the killer's own and 1 everything there is.
    const group = /^\d{1,10}$/u.test(first) && Number(first) > 1 ? Number(first) : null;
    this.started = { group, directory: others.join(" ") };
    this.#open(this.started);
    this.output.push(rest);
  }
}
