import type { ShellFlows } from "./shell-flows.ts";
import { hasTemplates, isAssignment } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

/** A command, and whose arguments `$@` stands for in it. */
export interface Command {
  readonly words: readonly Word[];
  readonly scope: string;
  /** How many arguments were shifted away before it. */
  readonly shifted: number;
}

interface Call {
  readonly args: readonly Word[];
  readonly scope: string;
  readonly shifted: number;
}

/** `"$@"`, `$*` or `"${@:2}"`, which are several words; `"$*"` is one. */
const ARGUMENT_LIST = /^(?:"\$@"|\$[@*]|"\$\{@(?::([1-9]))?\}"|\$\{[@*](?::([1-9]))?\})$/u;
const MAX_COMMANDS = 500;

/**
 * Functions are looked into with what they are called with: in `run() { "$@"; }; run curl {{…}}` the command is curl. Code
 * with arguments of its own, as of `sh -c`, is such a function, too.
 */
export class ShellCalls {
  readonly #functions = new Set<string>();
  readonly #calls = new Map<string, Call[]>();
  readonly #forwarding = new Map<string, Command[]>();
  readonly #codes: { readonly scope: string; readonly args: readonly Word[] }[] = [];
  readonly #known = new Set<string>();

  noteFunction(name: string): void {
    this.#functions.add(name);
  }

  /** Code that gets `args` from `$0` on. */
  noteCode(scope: string, args: readonly Word[], { positions }: ShellFlows): void {
    this.#codes.push({ scope, args });
    this.#add(scope, { args: args.slice(1), scope: positions.scope, shifted: positions.shifted });
  }

  /** All commands, with those that forward arguments once for each call; and every argument where it is received. */
  connect(commands: readonly Command[], flows: ShellFlows): Command[] {
    const found: Command[] = [];
    const waiting = [...commands];
    for (let next = 0; next < waiting.length; next += 1) {
      const command = waiting[next];
      if (command === undefined) break;
      const isForwarded = (word: Word) => ARGUMENT_LIST.test(word.raw);
      const isFull = waiting.length > commands.length + MAX_COMMANDS;
      const follows = this.#follows(command.scope) && flows.positions.isOrdered(command.scope) && !isFull;
      if (follows && command.words.some(isForwarded)) {
        listOf(this.#forwarding, command.scope).push(command);
        for (const call of this.#calls.get(command.scope) ?? []) this.#forward(command, call, waiting);
        continue;
      }
      found.push(command);
      for (const [name, call] of this.#callsIn(command, flows)) {
        if (!this.#add(name, call) || isFull) continue;
        for (const command of this.#forwarding.get(name) ?? []) this.#forward(command, call, waiting);
      }
    }
    // Too many to look into each one: what these functions forward is judged by what it may hold.
    if (waiting.length > commands.length + MAX_COMMANDS) found.push(...[...this.#forwarding.values()].flat());
    for (const { scope, args } of this.#codes) {
      for (const [holder, word] of flows.positions.receivers(scope, args, 0)) flows.give(holder, word);
    }
    for (const { scope, args } of flows.positions.sets) {
      for (const [holder, word] of flows.positions.receivers(scope, args)) flows.give(holder, word);
    }
    for (const name of this.#functions) {
      for (const { args } of this.#calls.get(name) ?? []) {
        for (const [holder, word] of flows.positions.receivers(name, args)) flows.give(holder, word);
      }
    }
    return found;
  }

  /** A command that forwards its arguments, with those of one call; the same words once. */
  #forward(command: Command, call: Call, waiting: Command[]): void {
    const made = forwarded(command, call);
    if (this.#isNew(["", made.scope, String(made.shifted), ...made.words.map(keyOf)])) waiting.push(made);
  }

  #follows(scope: string): boolean {
    return this.#functions.has(scope) || this.#calls.has(scope);
  }

  /** The functions that a command calls; any one where an expansion names it. */
  *#callsIn({ words, scope, shifted }: Command, flows: ShellFlows): Iterable<readonly [string, Call]> {
    if (this.#functions.size === 0) return;
    for (const reading of flows.constants.readings(words)) {
      const [first, ...args] = reading.slice(reading.findIndex((word) => !isAssignment(word)));
      if (first === undefined) continue;
      const call = { args, scope, shifted };
      if (first.literal !== null) {
        if (this.#functions.has(first.literal)) yield [first.literal, call];
      } else if (!hasTemplates(first) && !first.raw.includes("/")) {
        for (const name of this.#functions) yield [name, call];
      }
    }
  }

  /** False if the call is known. */
  #add(name: string, call: Call): boolean {
    if (!this.#isNew([name, call.scope, String(call.shifted), ...call.args.map(keyOf)])) return false;
    listOf(this.#calls, name).push(call);
    return true;
  }

  #isNew(parts: readonly string[]): boolean {
    const key = parts.join("\n");
    const isNew = !this.#known.has(key);
    this.#known.add(key);
    return isNew;
  }
}

function keyOf({ raw, start, variables }: Word): string {
  return `${start} ${variables.join(" ")} ${raw}`;
}

function forwarded({ words, shifted }: Command, call: Call): Command {
  const filled = words.flatMap((word) => {
    const match = ARGUMENT_LIST.exec(word.raw);
    if (match === null) return [word];
    return call.args.slice(shifted + Number(match[1] ?? match[2] ?? 1) - 1);
  });
  return { words: filled, scope: call.scope, shifted: call.shifted };
}

function listOf<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}
