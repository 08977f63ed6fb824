import { TEMPLATE_MARK, Unclear, refused } from "./place.ts";
import type { Place } from "./place.ts";
import type { ShellDialect } from "./shell.ts";

export interface HereDocument {
  readonly delimiter: string;
  readonly stripsTabs: boolean;
  /** A quoted delimiter: nothing in the body is expanded, and a backslash joins no lines. */
  readonly literal: boolean;
}

/** What ends a list of commands. */
export type Stop = "end" | ")" | "caseItem";

/** A reader's place in a script, and what it has found out so far. */
export class ShellState {
  at = 0;
  readonly places = new Map<number, Place>();
  /** Here-documents whose bodies begin after the next line break. */
  hereDocuments: HereDocument[] = [];
  /** Templates in what a command reads as its input. */
  readonly input: number[] = [];
  /** Set inside what takes no values at all: every template there is refused with this reason. */
  refusal: string | null = null;
  readonly #marks = new Map<number, number>();

  constructor(
    readonly dialect: ShellDialect,
    readonly source: string,
    /** Reads commands up to `stop`, and past it. Given, because words hold commands and commands words. */
    readonly readCommands: (state: ShellState, stop: Stop) => void,
  ) {
    let mark = source.indexOf(TEMPLATE_MARK);
    while (mark >= 0) {
      this.#marks.set(mark, this.#marks.size);
      mark = source.indexOf(TEMPLATE_MARK, mark + 1);
    }
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
    const index = this.#marks.get(at);
    if (index === undefined) throw new Error(`no template at ${at}`);
    return index;
  }

  refuse(index: number, reason: string): void {
    this.places.set(index, refused(reason));
  }

  templatesBetween(from: number, to: number): number[] {
    const found: number[] = [];
    let mark = this.source.indexOf(TEMPLATE_MARK, from);
    while (mark >= 0 && mark < to) {
      found.push(this.templateAt(mark));
      mark = this.source.indexOf(TEMPLATE_MARK, mark + 1);
    }
    return found;
  }

  placeBetween(from: number, to: number, place: Place): void {
    for (const index of this.templatesBetween(from, to)) this.places.set(index, place);
  }

  /** Reads something in which every template is refused. */
  refusing(reason: string, read: () => void): void {
    const outer = this.refusal;
    this.refusal = outer ?? reason;
    read();
    this.refusal = outer;
  }

  unclear(what: string): never {
    throw new Unclear(what, Math.min(this.at, this.source.length));
  }

  onlyInBash(what: string): void {
    if (this.dialect !== "bash") this.unclear(`${what} is not known to every sh`);
  }
}
