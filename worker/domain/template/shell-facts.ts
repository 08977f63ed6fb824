import { refusalsOf } from "./shell-commands.ts";
import { ARGUMENTS, INPUT, fileOf, holderOf } from "./shell-flows.ts";
import type { ShellFlows } from "./shell-flows.ts";
import { EVALUATING, WRAPPERS, interpreterOf, readsCode } from "./shell-programs.ts";
import type { ShellState } from "./shell-state.ts";
import {
  ARRAY_ASSIGNMENT,
  ASSIGNMENT,
  assignedName,
  isAssignment,
  programOf,
  readingsOf,
  templatesOf,
} from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

const DECLARATION = /^(?:declare|typeset|local|export|readonly)$/u;
/** Integers evaluate what is assigned to them, and references to names what they name. */
const EVALUATING_OPTION = /^[-+][A-Za-z]*[in][A-Za-z]*$/u;
const ARRAY_OPTION = /^[-+][A-Za-z]*[aA][A-Za-z]*$/u;
/** Variables are judged in these by other rules, or not at all. */
const JUDGED_ELSEWHERE = new Set(["test", "[", "let", "wait", "jobs"]);

/** What holds for a whole script, and decides about places elsewhere in it. */
export class ShellFacts {
  /** What gives a variable its value: harmless unless the script declares an integer. */
  readonly #assigned: Word[] = [];
  /** What does so as an argument of `declare` and the like: harmless unless the script has arrays. */
  readonly #declared: Word[] = [];
  readonly #commands: (readonly Word[])[] = [];
  readonly #functions = new Set<string>();
  /** Arguments of code that these rules cannot follow. */
  readonly #unclear: Word[] = [];
  #hasIntegers = false;
  #hasArrays = false;
  #readsCode = false;

  noteFunction(name: string): void {
    this.#functions.add(name);
  }

  noteUnclear(args: readonly Word[]): void {
    for (const word of args) this.#unclear.push(word);
  }

  noteCommand(words: readonly Word[], flows: ShellFlows): void {
    if (words.length === 0) return;
    this.#commands.push(words);
    const names = new Set(words.map(({ literal }) => literal ?? ""));
    const declares = [...names].some((name) => DECLARATION.test(name));
    this.#hasIntegers ||= declares && !names.has("export") && words.some(({ raw }) => EVALUATING_OPTION.test(raw));
    this.#hasArrays ||=
      names.has("mapfile") ||
      names.has("readarray") ||
      words.some(({ raw }) => ARRAY_ASSIGNMENT.test(raw)) ||
      ((declares || names.has("read")) && words.some(({ raw }) => ARRAY_OPTION.test(raw)));
    // What `$SHELL` or `$BASH` names is a shell.
    this.#readsCode ||= readingsOf(words).some((known) => readsCode(known.map(({ literal }) => literal)));
    this.#readsCode ||= readsCode(words.map(({ literal, raw }) => literal ?? (/SHELL|BASH/u.test(raw) ? "sh" : null)));
    for (const word of words) {
      if (!isAssignment(word)) continue;
      flows.assignWord(assignedName(word), word);
      if (!ASSIGNMENT.test(word.raw)) flows.calculate(/\[([^\]]*)\]/u.exec(word.raw)?.[1] ?? "");
      this.#assigned.push(word);
      if (declares) this.#declared.push(word);
    }
    noteBuiltin(words, flows);
  }

  /** Refuses what these facts make unsafe; at the end, when all are known. */
  apply(state: ShellState): void {
    const { flows } = state;
    for (const [name, ...args] of this.#commands) {
      if (name?.literal == null || !this.#functions.has(name.literal)) continue;
      for (const word of args) flows.assignWord(ARGUMENTS, word);
    }
    if (this.#hasIntegers) {
      refuseAll(
        state,
        carriedBy(this.#assigned, flows),
        "this script declares integers or names, and assigning to one evaluates the value: declare it without options",
      );
    }
    if (this.#hasArrays) {
      refuseAll(
        state,
        carriedBy(this.#declared, flows),
        "this script has arrays, and declaring one evaluates the value: write name={{…}} on a line of its own",
      );
    }
    refuseAll(
      state,
      carriedBy(this.#unclear, flows),
      "the code that gets it as an argument cannot be followed: write it in a simpler way",
    );
    for (const words of this.#commands) refuseFlows(state, words);
    for (const name of flows.unchecked()) {
      refuseAll(
        state,
        flows.take([name]),
        `arithmetic with ${name} would run a command that stands in the value: check before that it is a number (case ` +
          `$${name} in ''|*[!0-9]*) exit 1;; esac), or compare it with [ … ]`,
      );
    }
    if (!this.#readsCode) return;
    refuseAll(
      state,
      state.source.includes(">(") ? state.templatesBetween(0, state.source.length) : flows.take([INPUT]),
      "this script has a shell or another interpreter run what it reads, and the value could get there: pass it as an argument",
    );
  }
}

/** The templates whose values these words may hold. */
function carriedBy(words: readonly Word[], flows: ShellFlows): number[] {
  return [...words.flatMap(templatesOf), ...flows.take(words.flatMap(({ variables }) => variables))];
}

/** Builtins and tools that move values: into variables, into the arguments, into files. */
function noteBuiltin(words: readonly Word[], flows: ShellFlows): void {
  const command = words.findIndex((word) => !isAssignment(word) && !Object.hasOwn(WRAPPERS, programOf(word) ?? ""));
  const program = words[command] === undefined ? null : programOf(words[command]);
  const args = words.slice(command + 1).filter(({ raw }) => !raw.startsWith("-"));
  const target = args.at(-1);
  if (program === "read" || program === "mapfile" || program === "readarray") {
    for (const { literal } of args) if (literal !== null) flows.assign(literal, [], [INPUT]);
    flows.assign(program === "read" ? "REPLY" : "MAPFILE", [], [INPUT]);
  } else if (program === "let") for (const word of args) flows.calculate(word.raw);
  else if (program === "set") for (const word of args) flows.assignWord(ARGUMENTS, word);
  else if (program === "printf" && words[command + 1]?.literal === "-v") {
    for (const word of args.slice(1)) flows.assignWord(args[0]?.literal ?? "", word);
  } else if (program === "tee") for (const word of args) flows.writesFile(word);
  else if ((program === "cp" || program === "mv") && target !== undefined) {
    for (const word of args.slice(0, -1)) flows.assign(fileOf(target), [], [fileOf(word)]);
  }
}

/** A variable or a file with a value in it is refused wherever a template in its place would be. */
function refuseFlows(state: ShellState, words: readonly Word[]): void {
  const { flows } = state;
  const program = words.find((word) => !isAssignment(word))?.literal ?? "";
  const carries = words.map((word) => flows.carries(word.variables));
  if (!JUDGED_ELSEWHERE.has(program) && carries.includes(true)) {
    const asTemplates = words.map((word, index) =>
      carries[index] !== true || isAssignment(word)
        ? word
        : { ...word, literal: null, templates: [{ index: -1 - index, quoting: "bare" } as const], inner: [] },
    );
    for (const [index, reason] of refusalsOf(state.dialect, asTemplates)) {
      const word = words[-1 - index];
      if (word === undefined) continue;
      const shown = word.raw.replaceAll("\0", "{{…}}").slice(0, 60);
      refuseAll(state, flows.take(word.variables), `${reason} (the value gets there through ${shown})`);
    }
  }
  for (const word of runFiles(words)) {
    refuseAll(
      state,
      flows.take([fileOf(word)]),
      `the value gets into ${word.raw.slice(0, 60)}, which this script runs: pass it as an argument instead`,
    );
  }
}

/** The words of a command that may name a file which it runs. */
function runFiles(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(
    (word) => !isAssignment(word) && !word.raw.startsWith("-") && !Object.hasOwn(WRAPPERS, programOf(word) ?? ""),
  );
  const program = words[start];
  if (program === undefined) return [];
  const name = programOf(program) ?? holderOf(program.raw);
  return interpreterOf(name) !== null || Object.hasOwn(EVALUATING, name) ? words.slice(start) : [program];
}

function refuseAll(state: ShellState, templates: readonly number[], reason: string): void {
  for (const index of templates) if (state.places.get(index)?.type === "reference") state.refuse(index, reason);
}
