import { TEMPLATE_MARK, Unclear, refused } from "./place.ts";
import type { Place } from "./place.ts";
import type { ShellDialect } from "./shell.ts";
import { ShellFlows } from "./shell-flows.ts";
import type { Input } from "./shell-inputs.ts";

export interface HereDocument {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  /** A quoted delimiter: nothing in the body is expanded, and a backslash joins no lines. */
  readonly literal: boolean;
  readonly input: Input | "shared";
}

/** What ends a list of commands. */
export type Stop = "end" | ")" | "caseItem";

const MAX_DEPTH = 100;

/** What readers of words need from the reader of commands: words hold commands, and commands words. */
export interface ShellHooks {
  /** Reads commands up to `stop`, and past it; true if they only print a number. */
  readonly readCommands: (state: ShellState, stop: Stop) => boolean;
  /** Reads the body of a here-document whose shell expands it; false if it is not plain. */
  readonly readHereBody: (from: number, to: number) => boolean;
  /** Reads code that is run by itself, without templates in it; false if it is not plain. */
  readonly readNested: (dialect: ShellDialect, code: string) => boolean;
  /** A here-document without templates, which an interpreter may get. */
  readonly noteBody: (input: Input, text: string) => void;
}

/** A reader's place in a script, and what it has found out so far. */
export class ShellState {
  at = 0;
  /** How many brackets, branches of case and scripts in scripts are open. */
  depth = 0;
  readonly places: Map<number, Place>;
  /** Here-documents whose bodies begin after the next line break. */
  hereDocuments: HereDocument[] = [];
  readonly flows: ShellFlows;
  /** `$(…)` and `$((…))` that give a number, whatever goes in: where each ends, by where it begins. */
  readonly numberEnds = new Map<number, number>();
  /** Set inside what takes no values at all: every template there is refused with this reason. */
  refusal: string | null = null;
  /** Where the templates stand; none in code that is read on its own. */
  readonly #marks: readonly number[];

  /** `outer` reads the script in which this source stands: as its beginning, or as the text of a word, without templates. */
  constructor(
    readonly dialect: ShellDialect,
    readonly source: string,
    readonly hooks: ShellHooks,
    outer: ShellState | null,
    isBeginning: boolean,
  ) {
    this.places = outer?.places ?? new Map<number, Place>();
    this.flows = outer?.flows ?? new ShellFlows();
    this.refusal = outer?.refusal ?? null;
    this.depth = outer?.depth ?? 0;
    this.#marks = outer !== null && isBeginning ? outer.#marks : positionsOf(source);
  }

  get char(): string {
    return this.source[this.at] ?? "";
  }

  get ended(): boolean {
    return this.at >= this.source.length;
  }

  startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  /** Skips the text if it stands here. */
  skip(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  skipBlanks(): void {
    for (;;) {
      if (this.char === " " || this.char === "\t") this.at += 1;
      else if (!this.skip("\\\n")) return;
    }
  }

  /** The number of the template at a position. */
  templateAt(at: number): number {
    const index = this.#firstFrom(at);
    if (this.#marks[index] !== at) throw new Error(`no template at ${at}`);
    return index;
  }

  refuse(index: number, reason: string): void {
    this.places.set(index, refused(reason));
  }

  templatesBetween(from: number, to: number): number[] {
    const found: number[] = [];
    for (let index = this.#firstFrom(from); (this.#marks[index] ?? to) < to; index += 1) found.push(index);
    return found;
  }

  /** The number of the first template that stands at a position or behind it. */
  #firstFrom(at: number): number {
    let low = 0;
    let high = this.#marks.length;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((this.#marks[middle] ?? 0) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  placeBetween(from: number, to: number, place: Place): void {
    for (const index of this.templatesBetween(from, to)) this.places.set(index, place);
  }

  /** Reads something in which every template is refused. */
  refusing(reason: string, read: () => void): void {
    const outer = this.refusal;
    this.refusal = outer ?? reason;
    this.deepen(1);
    read();
    this.deepen(-1);
    this.refusal = outer;
  }

  /** Whoever opens that many brackets would have them read until the stack is full. */
  deepen(by: number): void {
    this.depth += by;
    if (this.depth > MAX_DEPTH) this.unclear("its brackets are nested too deep");
  }

  unclear(what: string): never {
    throw new Unclear(what, Math.min(this.at, this.source.length));
  }

  onlyInBash(what: string): void {
    if (this.dialect !== "bash") this.unclear(`${what} is not known to every sh`);
  }
}

function positionsOf(source: string): number[] {
  const positions: number[] = [];
  for (let at = source.indexOf(TEMPLATE_MARK); at >= 0; at = source.indexOf(TEMPLATE_MARK, at + 1)) positions.push(at);
  return positions;
}
