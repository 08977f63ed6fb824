import type { Holder } from "./shell-flows.ts";
import type { Word } from "./shell-word.ts";

/** `$1` to `$9` and `$@`, apart for each function and each code that is run by itself. */
export class ShellPositions {
  /** Whose arguments `$1` is: a function's name, a number for other code, or nothing for the script. */
  scope = "";
  readonly #shifts = new Map<string, number>();
  /** Where `set` or a `shift` that may not run make the numbers mean nothing. */
  readonly #unordered = new Set<string>();
  readonly #used = new Map<string, Set<number>>();
  readonly sets: { readonly scope: string; readonly args: readonly Word[] }[] = [];
  #others = 0;

  /** A name for code that is run with arguments of its own. */
  newScope(): string {
    this.#others += 1;
    return `code ${this.#others}`;
  }

  /** The body of a function begins; its arguments are all there. */
  enter(name: string): void {
    this.scope = name;
    this.#shifts.delete(name);
  }

  /** The holder that `$name` reads here. */
  holderOf(name: string): Holder {
    if (name === "@" || name === "*") return all(this.scope);
    if (!/^[0-9]+$/u.test(name)) return name;
    const position = name === "0" ? 0 : Number(name) + this.shifted;
    const used = this.#used.get(this.scope) ?? new Set();
    this.#used.set(this.scope, used.add(position));
    return at(this.scope, position);
  }

  /** How many arguments were shifted away so far. */
  get shifted(): number {
    return this.#shifts.get(this.scope) ?? 0;
  }

  shift(by: number, isSure: boolean): void {
    if (!isSure) this.#unordered.add(this.scope);
    this.#shifts.set(this.scope, this.shifted + by);
  }

  /** `set -- …` */
  set(args: readonly Word[]): void {
    this.#unordered.add(this.scope);
    this.sets.push({ scope: this.scope, args });
  }

  isOrdered(scope: string): boolean {
    return !this.#unordered.has(scope);
  }

  /** Which holders each argument of a call gets into; asked when all has been read. */
  *receivers(scope: string, args: readonly Word[], first = 1): Iterable<readonly [Holder, Word]> {
    const used = [...(this.#used.get(scope) ?? [])];
    let isOrdered = this.isOrdered(scope);
    isOrdered &&= !args.some(mayBeSeveral);
    for (const [index, word] of args.entries()) {
      yield [all(scope), word];
      for (const position of used) if (!isOrdered || position === index + first) yield [at(scope, position), word];
    }
  }
}

/** A holder as the script's author knows it. */
export function shownHolder(holder: Holder): string {
  return `$${/@([0-9]+|@)$/u.exec(holder)?.[1] ?? holder}`;
}

function at(scope: string, position: number): Holder {
  return `${scope}@${position}`;
}

function all(scope: string): Holder {
  return `${scope}@@`;
}

/** Whether a word may become none or several words. A template alone brings its own quotes. */
export function mayBeSeveral({ raw, literal }: Word): boolean {
  if (/^"[^@"]*"$/u.test(raw)) return false;
  return literal === null ? /[$`*?[{]/u.test(raw) : /[*?[{]/u.test(raw) && !/^(["']).*\1$/u.test(raw);
}
