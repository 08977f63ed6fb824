import { ShellBodies } from "./shell-bodies.ts";
import { noteBuiltin, runFiles } from "./shell-builtins.ts";
import type { CommandPlace } from "./shell-builtins.ts";
import { ShellCalls } from "./shell-calls.ts";
import type { Command } from "./shell-calls.ts";
import { refusalsOf } from "./shell-commands.ts";
import type { ShellFlows } from "./shell-flows.ts";
import { nestedScripts } from "./shell-nested.ts";
import { shownHolder } from "./shell-positions.ts";
import { environmentOf, isShell, whatRuns } from "./shell-options.ts";
import { interpreterOf, readsCode } from "./shell-programs.ts";
import type { ShellState } from "./shell-state.ts";
import {
  ARRAY_ASSIGNMENT,
  ASSIGNMENT,
  assignedName,
  isAssignment,
  isEvaluatedName,
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

/** Reads code as a script of its own; false if it is not plain. */
type ReadScript = (code: string, scope: string) => boolean;

const NOT_FOLLOWED = "the code that gets it as an argument cannot be followed: write it in a simpler way";
const RUNS_INPUT =
  "this script has a shell or another interpreter run what it reads, and the value could get there: pass it as an argument";

/** What holds for a whole script, and decides about places elsewhere in it. */
export class ShellFacts {
  /** What gives a variable its value: harmless unless the script declares an integer. */
  readonly #assigned: Word[] = [];
  /** What does so as an argument of `declare` and the like: harmless unless the script has arrays. */
  readonly #declared: Word[] = [];
  readonly calls = new ShellCalls();
  readonly bodies = new ShellBodies();
  readonly #commands: Command[] = [];
  readonly #aliases = new Set<string>();
  /** Arguments of code that these rules cannot follow, or that could run them. */
  readonly #unclear: { readonly args: readonly Word[]; readonly reason: string }[] = [];
  #hasIntegers = false;
  #hasArrays = false;
  #readsCode = false;

  /** The shell code that the words of a command carry. */
  readScripts(words: readonly Word[], flows: ShellFlows, read: ReadScript): void {
    for (const { code, args } of nestedScripts(words)) {
      const scope = flows.positions.newScope();
      this.calls.noteCode(scope, args, flows);
      if (!read(code, scope)) this.#unclear.push({ args, reason: NOT_FOLLOWED });
    }
  }

  /** The code that here-documents carry; at the end, when all commands are known. */
  readBodies(flows: ShellFlows, read: ReadScript): void {
    for (const { text, program, isShell, args } of this.bodies.codes()) {
      if (!isShell) this.#noteForeignCode(program, text, args, flows);
      else if (!read(text, flows.positions.newScope())) this.#unclear.push({ args, reason: NOT_FOLLOWED });
    }
  }

  /** Code of another language, with its arguments: what in it could run them, or the environment? */
  #noteForeignCode(program: string, code: string, args: readonly Word[], flows: ShellFlows): void {
    const runs = whatRuns(program, code);
    if (runs === null) return;
    const reason = `the code of ${program} contains ${runs}, which could run the value: write it without`;
    this.#unclear.push({ args, reason });
    flows.sink(environmentOf(code), reason);
  }

  noteCommand(words: readonly Word[], flows: ShellFlows, place: CommandPlace): void {
    if (words.length === 0) return;
    const { positions } = flows;
    this.#commands.push({ words, scope: positions.scope, shifted: positions.shifted });
    const names = new Set(words.map(({ literal }) => literal ?? ""));
    const declares = [...names].some((name) => DECLARATION.test(name));
    this.#hasIntegers ||= declares && !names.has("export") && words.some(({ raw }) => EVALUATING_OPTION.test(raw));
    this.#hasArrays ||=
      names.has("mapfile") ||
      names.has("readarray") ||
      words.some(({ raw }) => ARRAY_ASSIGNMENT.test(raw)) ||
      ((declares || names.has("read")) && words.some(({ raw }) => ARRAY_OPTION.test(raw)));
    this.#noteReader(words, flows);
    this.#noteInterpreters(words, flows);
    if (declares && words.some(({ raw }) => /^-[a-z]*A[a-z]*$/u.test(raw)))
      for (const { raw } of words) flows.associative.add(/^\w+/u.exec(raw)?.[0] ?? "");
    if (words[0]?.literal === "alias")
      for (const { raw } of words) this.#aliases.add(/^[^=]+(?==)/u.exec(raw)?.[0] ?? "");
    this.#noteAssignments(words, flows, declares, place);
    noteBuiltin(words, flows, place);
  }

  /** A shell that runs what it reads. What `$SHELL` or `$BASH` names is a shell. */
  #noteReader(words: readonly Word[], flows: ShellFlows): void {
    const known = [...flows.constants.readings(words), ...readingsOf(words)];
    const reads =
      known.some((reading) => readsCode(reading.map(({ literal }) => literal))) ||
      readsCode(words.map(({ literal, raw }) => literal ?? (/SHELL|BASH/u.test(raw) ? "sh" : null)));
    if (!reads) return;
    this.#readsCode = true;
    flows.sink(flows.inputs.readable(flows.positions.scope), RUNS_INPUT);
  }

  #noteInterpreters(words: readonly Word[], flows: ShellFlows): void {
    this.bodies.noteCommand(words, flows.inputs.own);
    words.forEach((word, index) => {
      const program = programOf(word);
      if (program === null || interpreterOf(program) === null || isShell(program)) return;
      for (const { literal } of words.slice(index + 1)) {
        const runs = literal === null ? null : whatRuns(program, literal);
        if (literal === null || runs === null) continue;
        flows.sink(
          environmentOf(literal),
          `the code of ${program} contains ${runs}, which could run the value: write it without`,
        );
      }
    });
  }

  #noteAssignments(words: readonly Word[], flows: ShellFlows, declares: boolean, place: CommandPlace): void {
    const stays = declares || words.every(isAssignment);
    for (const word of words) {
      if (!isAssignment(word)) continue;
      const name = assignedName(word);
      flows.assignWord(name, word, stays);
      const isWhole = stays && /^\w+=/u.test(word.raw);
      if (isWhole && word.literal !== null)
        flows.constants.assign(name, word.literal.slice(name.length + 1), place.isSure);
      else if (isWhole && word.elements !== null) flows.constants.assign(name, word.elements, place.isSure);
      else if (stays) flows.constants.open(name);
      if (!ASSIGNMENT.test(word.raw) && !flows.associative.has(name)) flows.calculateIndex(word.raw);
      this.#assigned.push(word);
      if (declares) this.#declared.push(word);
    }
  }

  /** Refuses what these facts make unsafe; at the end, when all are known. */
  apply(state: ShellState): void {
    const { flows } = state;
    const commands = this.calls.connect(this.#commands, flows);
    flows.connectNames();
    for (const { words } of commands) refuseTemplates(state, words);
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
    for (const { args, reason } of this.#unclear) refuseAll(state, carriedBy(args, flows), reason);
    for (const { words } of commands) {
      refuseFlows(state, words);
      const [first, ...args] = words;
      if (first?.literal == null || !this.#aliases.has(first.literal)) continue;
      refuseAll(
        state,
        carriedBy(args, flows),
        `${first.literal} is an alias here: use a function, or write the command itself`,
      );
    }
    for (const { holders, reason } of flows.sinks) refuseAll(state, flows.take(holders), reason);
    for (const name of flows.unchecked()) {
      const shown = shownHolder(name);
      refuseAll(
        state,
        flows.take([name]),
        `arithmetic with ${shown} would run a command that stands in the value: check before that it is a number, ` +
          `and leave if it is none (case ${shown} in ''|*[!0-9]*) exit 1;; esac), or compare it with [ … ]`,
      );
    }
    if (this.#readsCode && state.source.includes(">("))
      refuseAll(state, state.templatesBetween(0, state.source.length), RUNS_INPUT);
  }
}

/** The templates whose values these words may hold. */
function carriedBy(words: readonly Word[], flows: ShellFlows): number[] {
  return [...words.flatMap(templatesOf), ...flows.take(words.flatMap(({ variables }) => variables))];
}

/** Refuses what the words themselves give to a command that would evaluate it. */
function refuseTemplates(state: ShellState, words: readonly Word[]): void {
  for (const reading of state.flows.constants.readings(words)) {
    for (const [index, reason] of refusalsOf(state.dialect, reading)) refuseAll(state, [index], reason);
  }
}

/** A variable or a file with a value in it is refused wherever a template in its place would be. */
function refuseFlows(state: ShellState, words: readonly Word[]): void {
  const { flows } = state;
  const program = words.find((word) => !isAssignment(word))?.literal ?? "";
  const carries = words.map((word) => flows.carries(word.variables));
  if (!JUDGED_ELSEWHERE.has(program) && carries.includes(true)) {
    const asTemplates = words.map((word, index) =>
      carries[index] !== true || (isAssignment(word) && program !== "alias" && !isEvaluatedName(assignedName(word)))
        ? word
        : { ...word, literal: null, templates: [{ index: -1 - index, quoting: "bare" } as const], inner: [] },
    );
    for (const reading of flows.constants.readings(asTemplates)) {
      for (const [index, reason] of refusalsOf(state.dialect, reading)) {
        const word = words[-1 - index];
        if (word === undefined) continue;
        const shown = word.raw.replaceAll("\0", "{{…}}").slice(0, 60);
        refuseAll(state, flows.take(word.variables), `${reason} (the value gets there through ${shown})`);
      }
    }
  }
  for (const word of runFiles(words)) {
    refuseAll(
      state,
      flows.take([flows.fileOf(word)]),
      `the value gets into ${word.raw.slice(0, 60)}, which this script runs: pass it as an argument instead`,
    );
  }
}

function refuseAll(state: ShellState, templates: readonly number[], reason: string): void {
  for (const index of templates) if (state.places.get(index)?.type === "reference") state.refuse(index, reason);
}
