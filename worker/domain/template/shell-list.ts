import { notePrinted } from "./shell-builtins.ts";
import type { CommandPlace } from "./shell-builtins.ts";
import type { Input } from "./shell-inputs.ts";
import type { ShellState, Stop } from "./shell-state.ts";
import type { Word } from "./shell-word.ts";

/** A point in the script, and in what it expands; and what the pipeline reads that begins there. */
interface Start {
  readonly at: number;
  readonly variables: number;
  readonly input: Input;
}

/** A group, branch or loop that is open: the pipeline in which it stands, and whose arguments `$1` is around it. */
interface Opened extends Start {
  readonly scope: string;
}

const MAX_OPEN = 100;

/** Where a reader stands in a list of commands, which a bracket, a branch of case or a script is. */
export class CommandList {
  /** Of the command that is being read. */
  words: Word[] = [];
  /** A pipe came last: the pipeline goes on, also on the next line. */
  piped = false;
  /** Whether the next word begins a pipeline. */
  begins = true;
  readonly #around: Input;
  readonly #prints = { number: false, other: false };
  readonly #opened: Opened[] = [];
  #pipeline: Start;
  /** Where the line began, with all of the groups, branches and loops that end in it. */
  #line: Start;
  /** Whether the command runs only when another one succeeded or failed, or in a shell of its own. */
  #isConditional = false;

  constructor(
    readonly state: ShellState,
    readonly stop: Stop,
    readonly isOutermost: boolean,
  ) {
    this.#around = state.flows.inputs.own;
    this.#pipeline = this.#here(state.flows.inputs.begin(this.#around));
    this.#line = this.#pipeline;
  }

  beginPipeline(): void {
    if (!this.begins || /[\s#]/u.test(this.state.char)) return;
    this.#pipeline = this.#here(this.state.flows.inputs.begin(this.#opened.at(-1)?.input ?? this.#around));
    this.begins = false;
  }

  /** A command ends here; gives its words, and where it stands. */
  finish(): { readonly words: readonly Word[]; readonly place: CommandPlace } {
    const { state, words } = this;
    const isPiped = state.char === "|" && !state.startsWith("||");
    const isApart = isPiped || (state.char === "&" && !state.startsWith("&&"));
    const runs = !this.#isConditional && !isApart;
    const isWhole = this.stop === "end";
    const { scope } = state.flows.positions;
    if (!isPiped) notePrinted(words, this.#prints);
    if (words.length > 0 && (state.char === ";" || state.char === "\n")) this.#isConditional = false;
    this.words = [];
    return {
      words,
      place: {
        isSure: runs && isWhole && this.isOutermost && this.#opened.length === 0,
        // Its function, if it is in one, began in this list.
        isSureInScope:
          runs && (isWhole || this.#opened.length > 0) && this.#opened.every((opened) => opened.scope !== scope),
      },
    };
  }

  finishLine(): void {
    const { flows } = this.state;
    if (flows.writes)
      flows.endLine(this.state.templatesBetween(this.#line.at, this.state.at), flows.since(this.#line.variables));
    this.#line = this.#here(this.#pipeline.input);
  }

  /** `|`, `||`, `&&` or `&`. */
  readOperator(): void {
    const { state } = this;
    const raw = (["&&", "||", "|", "&"] as const).find((operator) => state.startsWith(operator)) ?? "&";
    this.piped = raw === "|";
    this.begins = !this.piped;
    this.#isConditional ||= raw !== "&";
    state.flows.numbers.push({ type: "operator", raw });
    if (this.piped) {
      const { at, variables } = this.#pipeline;
      state.flows.reads(state.templatesBetween(at, state.at), state.flows.since(variables));
    }
    state.at += state.startsWith("|&") ? 2 : raw.length;
    // What stood before the pipe is noted; what follows it is noted by the next one.
    if (this.piped) this.#pipeline = this.#here(this.#pipeline.input);
  }

  /** `if`, `for`, `{` and the like, around which `$1` is an argument of `scope`. */
  open(raw: string, scope: string): void {
    if (this.#opened.length > MAX_OPEN) this.state.unclear("its brackets are nested too deep");
    this.#prints.other = true;
    this.#opened.push({ ...this.#pipeline, scope });
    this.begins = raw !== "for";
  }

  /** `fi`, `done` or `}`. */
  close(): void {
    const { flows } = this.state;
    const { scope, ...start } = this.#opened.pop() ?? { at: 0, variables: 0, input: this.#around, scope: "" };
    this.#pipeline = start;
    flows.positions.scope = scope;
    flows.inputs.own = start.input;
    if (start.at < this.#line.at) this.#line = start;
  }

  /** What is no simple command may print anything. */
  notePrinting(): void {
    this.#prints.other = true;
  }

  /** Whether all that the list prints is a number. */
  get printsNumber(): boolean {
    return this.#prints.number && !this.#prints.other;
  }

  #here(input: Input): Start {
    return { at: this.state.at, variables: this.state.flows.mark(), input };
  }
}
