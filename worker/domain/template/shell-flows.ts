import type { Word } from "./shell-word.ts";
import { templatesOf } from "./shell-word.ts";

/** Where a value may come to rest between two commands: a variable, `<input>`, `<arguments>`, or a file as `file:<name>`. */
type Holder = string;

export const INPUT = "<input>";
export const ARGUMENTS = "<arguments>";
const POSITIONAL = /^[1-9@*]$/u;
/** `n=$(… | wc -l)`: whatever was counted, this is a number. */
const COUNTS = /^\w+="?\$\([^)]*\bwc[ \t]+-[clmw][ \t]*(?:<[ \t]*[^\s)|;&]+[ \t]*)?\)"?$/u;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/gu;

interface Source {
  readonly templates: Set<number>;
  readonly holders: Set<Holder>;
}

/**
 * Follows values through a script by name: `x={{v}}` and, later, `eval "$x"`. Names only: neither the order of commands
 * nor the scope of functions counts, so it sees more flows than there are.
 */
export class ShellFlows {
  readonly #sources = new Map<Holder, Source>();
  readonly #expansions: Holder[] = [];
  readonly #calculated = new Set<Holder>();
  readonly #checked = new Set<Holder>();
  #tainted: Set<Holder> | null = null;
  /** Files written by the pipelines of the present line; the lists of the commands around them below. */
  readonly #written: Holder[][] = [];

  /** `$name` was read. */
  expand(name: string): void {
    this.#expansions.push(holderOf(name));
  }

  /** `${…` was read; `text` is what follows. An index, an offset and a length are arithmetic. */
  expandBraces(text: string): void {
    const name = /^[!#]?([A-Za-z_][A-Za-z0-9_]*|[1-9@*])/u.exec(text)?.[1];
    if (name === undefined) return;
    this.expand(name);
    const index = /^[!#]?\w+\[([^\]@*]*)/u.exec(text)?.[1] ?? /^\w+:(?![-=?+])([^}]*)/u.exec(text)?.[1];
    if (index !== undefined) this.calculate(index);
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

  assignWord(name: string, word: Word): void {
    if (COUNTS.test(word.raw)) return;
    this.assign(name, templatesOf(word), word.variables);
  }

  /** A command gets these on its standard input. */
  reads(templates: readonly number[], holders: readonly Holder[]): void {
    this.assign(INPUT, templates, holders);
  }

  readsFile(file: Word): void {
    this.reads(templatesOf(file), [fileOf(file)]);
    this.mentions([file]);
  }

  /** Words of a command, each of which may name a file that it prints. */
  mentions(words: readonly Word[]): void {
    for (const word of words) this.#expansions.push(fileOf(word));
  }

  writesFile(file: Word): void {
    this.#written.at(-1)?.push(fileOf(file));
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
    for (const [name] of text.matchAll(IDENTIFIER)) this.#calculated.add(name);
    if (/\$\{?[1-9@*]/u.test(text)) this.#calculated.add(ARGUMENTS);
  }

  /** The script compares them with a pattern. */
  check(names: readonly Holder[]): void {
    for (const name of names) this.#checked.add(name);
  }

  /** What reaches arithmetic without ever having been compared with a pattern. */
  unchecked(): Holder[] {
    return [...this.#calculated].filter((name) => !this.#checked.has(name) && this.carries([name]));
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

/** A file by the text that names it: `"$file"` and `$file` are one. */
export function fileOf(word: Word): Holder {
  return `file:${(word.literal ?? word.raw).replaceAll('"', "").replace(/^\.\//u, "")}`;
}

export function holderOf(name: string): Holder {
  return POSITIONAL.test(name) ? ARGUMENTS : name;
}
