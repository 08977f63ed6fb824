import { ShellConstants } from "./shell-constants.ts";
import { ShellInputs } from "./shell-inputs.ts";
import type { Input } from "./shell-inputs.ts";
import { loneVariable } from "./shell-number-events.ts";
import type { NumberEvent } from "./shell-number-events.ts";
import { uncheckedIn } from "./shell-numbers.ts";
import { ShellPositions } from "./shell-positions.ts";
import type { Word } from "./shell-word.ts";
import { templatesOf } from "./shell-word.ts";

/** Where a value may come to rest between two commands: a variable, an input, an argument as `<scope>@1`, or a file as `file:<name>`. */
export type Holder = string;

const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/gu;
const NUMBER = /^-?[0-9]*$/u;

/** Files that cron or every new shell runs. */
const RUN_BY_OTHERS =
  /^file:(?:\/etc\/cron|\/var\/spool\/cron|.*\/\.(?:bashrc|bash_profile|bash_login|profile|zshrc)$)/u;

/** What runs or evaluates what these hold. */
interface Sink {
  readonly holders: readonly Holder[];
  readonly reason: string;
}

interface Source {
  readonly templates: Set<number>;
  readonly holders: Set<Holder>;
}

/**
 * Follows values through a script by name: `x={{v}}` and, later, `eval "$x"`. Neither the order of commands nor the scope
 * of functions counts, so it sees more flows than there are. Only what arithmetic reads is followed in order (`numbers`).
 */
export class ShellFlows {
  readonly positions = new ShellPositions();
  readonly inputs = new ShellInputs();
  readonly constants = new ShellConstants();
  /** What happens to numbers, in the order of the script. */
  readonly numbers: NumberEvent[] = [];
  readonly sinks: Sink[] = [];
  /** Arrays whose indexes are keys: these are not arithmetic. */
  readonly associative = new Set<string>();
  readonly #sources = new Map<Holder, Source>();
  readonly #expansions: Holder[] = [];
  /** The names that stand in the text which a holder was given: arithmetic and `${!name}` read what they hold. */
  readonly #names = new Map<Holder, Set<Holder>>();
  #tainted: Set<Holder> | null = null;
  /** Files written by the pipelines of the present line; the lists of the commands around them below. */
  readonly #written: Holder[][] = [];

  /** `$name` was read. */
  expand(name: string): void {
    this.#expansions.push(this.positions.holderOf(name));
  }

  /** `${…` was read; `text` is what follows. An index, an offset and a length are arithmetic. */
  expandBraces(text: string): void {
    const [, mark, name, rest = ""] = /^([!#]?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*])([^]*)$/u.exec(text) ?? [];
    if (name === undefined) return;
    this.expand(name);
    const holder = this.positions.holderOf(name);
    if (mark === "!" && !/^(?:\[[@*]\]|[@*])\}/u.test(rest)) {
      this.sink([holder], "${!…} takes the name of a variable, and evaluates it: choose with case instead");
      this.#expansions.push(namedBy(holder));
    }
    if (/^(?:\[[^\]]*\])?@P/u.test(rest))
      this.sink([holder], "${…@P} runs commands that stand in the value: leave out @P");
    const index = /^\[([^\]@*]*)/u.exec(rest)?.[1];
    if (index !== undefined && !this.associative.has(name)) this.calculate(index);
    const offset = /^(?:\[[^\]]*\])?:(?![-=?+])([^}]*)/u.exec(rest)?.[1];
    if (offset !== undefined) this.calculate(offset);
  }

  /** Whoever uses these runs or evaluates what they hold. */
  sink(holders: readonly Holder[], reason: string): void {
    if (holders.length > 0) this.sinks.push({ holders, reason });
  }

  /** A point in the reading, for `since`. */
  mark(): number {
    return this.#expansions.length;
  }

  since(mark: number): Holder[] {
    return this.#expansions.slice(mark);
  }

  assign(to: Holder, templates: readonly number[], holders: readonly Holder[]): void {
    if (templates.length === 0 && holders.length === 0) return;
    const source = this.#sources.get(to) ?? { templates: new Set(), holders: new Set() };
    for (const index of templates) source.templates.add(index);
    for (const holder of holders) source.holders.add(holder);
    this.#sources.set(to, source);
  }

  /** `name=word`, or an argument that becomes the value of a name. `isSure` is false before a command, for which alone it holds. */
  assignWord(name: string, word: Word, isSure = true): void {
    const [assignment = ""] = /^[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]*\])?\+?=/u.exec(word.raw) ?? [];
    const adds = assignment.endsWith("+=");
    const value = word.literal?.slice(assignment.length) ?? null;
    const from = loneVariable(word.raw.slice(assignment.length));
    const isNumber = word.isNumber || (value !== null && NUMBER.test(value) && !assignment.includes("["));
    if (!isSure) this.numbers.push({ type: "assign", to: name, is: "anything" });
    else if (!(isNumber && adds))
      this.numbers.push({
        type: "assign",
        to: name,
        is: isNumber ? "number" : from === null || adds ? "anything" : { from: this.positions.holderOf(from) },
      });
    this.give(name, word);
  }

  /** The same without its place in the script. */
  give(name: Holder, word: Word): void {
    if (word.isNumber) return;
    const names = this.#names.get(name) ?? new Set<Holder>();
    for (const [found] of word.residue
      .slice(0, 1_000)
      .replace(/^\w+\+?=/u, "")
      .matchAll(IDENTIFIER))
      names.add(found);
    if (names.size > 0) this.#names.set(name, names);
    this.assign(name, templatesOf(word), word.variables);
  }

  /** `read name`. */
  assignInput(name: string): void {
    this.numbers.push({ type: "assign", to: name, is: "anything" });
    this.constants.open(name);
    this.assign(name, [], this.inputs.readable(this.positions.scope));
  }

  /** A command gets these on its standard input. */
  reads(templates: readonly number[], holders: readonly Holder[], input: Input | "shared" = this.inputs.own): void {
    for (const to of this.inputs.written(input)) this.assign(to, templates, holders);
  }

  readsFile(file: Word, input: Input | "shared"): void {
    this.reads(templatesOf(file), [this.fileOf(file)], input);
    this.mentions([file]);
  }

  /** Words of a command, each of which may name a file that it prints. */
  mentions(words: readonly Word[]): void {
    for (const word of words) this.#expansions.push(this.fileOf(word));
  }

  /** A file by the text that names it: `"$file"` and `${file}` are one. */
  fileOf(word: Word): Holder {
    const text = word.literal ?? this.constants.fill(word.raw.replaceAll('"', ""));
    const plain = text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/gu, "$$$1").replace(/^~\//u, "$$HOME/");
    return `file:${plain.replace(/^(?:\.\/|\$PWD\/)+/u, "")}`;
  }

  writesFile(file: Word): void {
    const holder = this.fileOf(file);
    this.#written.at(-1)?.push(holder);
    if (RUN_BY_OTHERS.test(holder))
      this.sink([holder], `what stands in ${file.raw.slice(0, 60)} is run: write no values into it`);
  }

  enterCommands(): void {
    this.#written.push([]);
  }

  leaveCommands(): void {
    this.#written.pop();
  }

  /** How many readings of commands are open. */
  get depth(): number {
    return this.#written.length;
  }

  leaveTo(depth: number): void {
    this.#written.splice(depth);
  }

  /** Whether the line wrote files: what it expanded may be in them. */
  get writes(): boolean {
    return (this.#written.at(-1)?.length ?? 0) > 0;
  }

  endLine(templates: readonly number[], holders: readonly Holder[]): void {
    for (const file of this.#written.at(-1)?.splice(0) ?? []) this.assign(file, templates, holders);
  }

  /** These names are read as arithmetic. */
  calculate(text: string): void {
    const holders: Holder[] = [...text.matchAll(IDENTIFIER)].map(([name]) => name);
    for (const [, name = ""] of text.matchAll(/\$\{?([0-9]|[1-9][0-9]+|[@*])/gu))
      holders.push(this.positions.holderOf(name));
    if (holders.length > 0) this.numbers.push({ type: "calculate", holders });
  }

  /** What stands in the brackets of `name[index]`, in whatever quotes, for those who take the names of variables. */
  calculateIndex(text: string): void {
    const index = /^[A-Za-z_][A-Za-z0-9_]*\[([^]*)\]/u.exec(text)?.[1];
    if (index !== undefined) this.calculate(index);
  }

  /** What reaches arithmetic where nothing says that it is a number. */
  unchecked(): Holder[] {
    const namesIn = (holder: Holder) => this.#names.get(holder) ?? [];
    return [...uncheckedIn(this.numbers, namesIn)].filter((holder) => this.carries([holder]));
  }

  /** At the end: what `${!name}` reads. */
  connectNames(): void {
    for (const [holder, names] of this.#names) this.assign(namedBy(holder), [], [...names]);
  }

  /** Whether a value may be in one of these. Asked when all has been read. */
  carries(holders: readonly Holder[]): boolean {
    this.#tainted ??= this.#findTainted();
    for (const holder of holders) if (this.#tainted.has(holder)) return true;
    return false;
  }

  /**
   * Every template whose value may be in one of these, and that was not taken before: who takes them refuses them all, so
   * that a long script is gone through once.
   */
  take(holders: readonly Holder[]): number[] {
    const found: number[] = [];
    const waiting = [...holders];
    for (let holder = waiting.pop(); holder !== undefined; holder = waiting.pop()) {
      const source = this.#sources.get(holder);
      this.#sources.delete(holder);
      for (const index of source?.templates ?? []) found.push(index);
      for (const from of source?.holders ?? []) waiting.push(from);
    }
    return found;
  }

  #findTainted(): Set<Holder> {
    const readers = new Map<Holder, Holder[]>();
    const waiting: Holder[] = [];
    for (const [holder, source] of this.#sources) {
      if (source.templates.size > 0) waiting.push(holder);
      for (const from of source.holders) {
        const known = readers.get(from);
        if (known === undefined) readers.set(from, [holder]);
        else known.push(holder);
      }
    }
    const tainted = new Set(waiting);
    for (const holder of tainted) for (const reader of readers.get(holder) ?? []) tainted.add(reader);
    return tainted;
  }
}

function namedBy(holder: Holder): Holder {
  return `!${holder}`;
}
