import { CappedStream } from "../shared/capped-stream.ts";

/** Longer than any line of this program, or a part of one. */
const LINE_MAX_BYTES = 8_192;
const NOISE_SHOWN_BYTES = 500;
/** Occurs in many lines of the sent program, and in no greeting. */
const OWN_NAMES = "bellhop_";
/** Why a remote program does not start its script. It prints `<mark> !env`. */
const REFUSALS = ["directory", "env", "interpreter"] as const;

export interface Started {
  /** Null when the host cannot report it. */
  group: number | null;
  directory: string;
}

/**
 * Splits a remote program's standard output: the text before the line `<mark> <group> <directory>` comes from the login
 * shell, the text after it from the script, and goes to `output`. Only an exact and complete line counts: a host that
 * echoes its input has run nothing.
 */
export class StartGate {
  started: Started | null = null;
  /** Why the remote program did not start the script, if it reported a reason; `line`: an invalid report. */
  refusal: (typeof REFUSALS)[number] | "line" | null = null;
  readonly opened: Promise<Started>;
  readonly #open: (started: Started) => void;
  /** The output from the start of the last line, while that may still become the expected line. */
  #before: Buffer = Buffer.from("\n");
  /** Never cut inside a secret: a host may echo its input. */
  readonly #noise: CappedStream;
  #repeats = false;

  constructor(
    private readonly mark: string,
    private readonly output: CappedStream,
    secrets: readonly string[],
  ) {
    const { promise, resolve } = Promise.withResolvers<Started>();
    this.opened = promise;
    this.#open = resolve;
    this.#noise = new CappedStream(secrets);
  }

  push(chunk: Buffer): void {
    if (this.started !== null) return this.output.push(chunk);
    if (this.refusal !== null) return;
    this.#noise.push(chunk);
    this.#before = Buffer.concat([this.#before, chunk]);
    this.#repeats ||= this.#before.includes(OWN_NAMES);
    const lineStart = `\n${this.mark} `;
    for (let start = this.#before.indexOf(lineStart); start >= 0; start = this.#before.indexOf(lineStart)) {
      const end = this.#before.indexOf("\n", start + 1);
      const line = this.#before.subarray(start + 1, end < 0 ? undefined : end);
      if (line.length > LINE_MAX_BYTES) this.refusal = "line";
      else if (end >= 0) this.#read(line.toString("utf8"), this.#before.subarray(end + 1));
      if (end < 0 || this.started !== null || this.refusal !== null) return;
      this.#before = this.#before.subarray(end);
    }
    this.#before = this.#before.subarray(-LINE_MAX_BYTES);
  }

  /** What the account's shell printed instead. */
  noise(): string {
    // A line that the host itself cut could end inside a secret.
    if (this.#repeats) return "It only repeated its input.";
    const text = this.#noise.read(NOISE_SHOWN_BYTES).text.trim();
    return text === "" ? "It said nothing." : `It said: ${text}`;
  }

  #read(line: string, rest: Buffer): void {
    const said = line.slice(this.mark.length + 1);
    const refusal = REFUSALS.find((reason) => said === `!${reason}`);
    if (refusal !== undefined) {
      this.refusal = refusal;
      return;
    }
    const [, first, directory] = /^(\d{1,10}|unknown) (\/.*)$/u.exec(said) ?? [];
    if (first === undefined || directory === undefined) return;
    // The group is an argument of kill, where 0 means the own group and 1 every process.
    const group = first !== "unknown" && Number(first) > 1 ? Number(first) : null;
    this.started = { group, directory };
    this.#open(this.started);
    this.output.push(rest);
  }
}
