import type { ShellFlows } from "./shell-flows.ts";
import { ARITHMETIC_COMPARISONS, NAME_TESTS } from "./shell-tests.ts";
import { loneVariable } from "./shell-number-events.ts";
import { EVALUATING, WRAPPERS, interpreterOf } from "./shell-programs.ts";
import { isAssignment, isEvaluatedName, programOf } from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

/** These take names of variables, and evaluate the index that stands behind a name. */
const TAKES_NAMES =
  /^(?:unset|read|mapfile|readarray|printf|declare|typeset|local|export|readonly|test|\[|let|wait|getopts)$/u;

/** What is known of a command's surroundings. */
export interface CommandPlace {
  /** It runs once, before everything that follows it in the script. */
  readonly isSure: boolean;
  /** The same within its function. */
  readonly isSureInScope: boolean;
}

/** Builtins and tools that move values: into variables, into the arguments, into files. */
export function noteBuiltin(words: readonly Word[], flows: ShellFlows, place: CommandPlace): void {
  const command = words.findIndex((word) => !isAssignment(word) && !Object.hasOwn(WRAPPERS, programOf(word) ?? ""));
  const program = words[command] === undefined ? null : programOf(words[command]);
  if (program === null) return;
  const all = words.slice(command + 1);
  const args = all.filter(({ raw }) => !raw.startsWith("-"));
  if (TAKES_NAMES.test(program)) for (const { literal, raw } of all) flows.calculateIndex(literal ?? raw);
  switch (program) {
    case "read":
    case "mapfile":
    case "readarray":
      if (all.some(({ raw }) => raw === "-C"))
        flows.sink(flows.inputs.readable(flows.positions.scope), `${program} -C runs a command with what it reads`);
      return noteRead(program, args, flows);
    case "let":
      for (const word of args) flows.calculate(word.raw);
      return;
    case "set":
      return noteSet(all, flows);
    case "shift":
      return flows.positions.shift(Number(args[0]?.literal ?? 1), place.isSureInScope);
    case "printf":
      if (all[0]?.literal !== "-v") return;
      flows.constants.open(args[0]?.literal ?? "");
      for (const word of args.slice(1)) flows.assignWord(args[0]?.literal ?? "", word);
      return;
    case "test":
    case "[":
      return noteTest(args, all, flows);
    case "tee":
    case "sponge":
      for (const word of args) flows.writesFile(word);
      return;
    case "dd":
      for (const word of args) if (word.raw.startsWith("of=")) flows.writesFile(without(word, "of="));
      return;
    case "cp":
    case "mv":
    case "ln":
    case "install": {
      const target = args.at(-1);
      if (target === undefined) return;
      for (const word of args.slice(0, -1)) flows.assign(flows.fileOf(target), [], [flows.fileOf(word)]);
    }
  }
}

/** `set -euo pipefail` sets no arguments. */
function noteSet(all: readonly Word[], flows: ShellFlows): void {
  const first = all.findIndex(
    ({ raw }, index) => raw === "--" || !(/^[-+]/u.test(raw) || /^[-+][a-zA-Z]*o$/u.test(all[index - 1]?.raw ?? "")),
  );
  if (first >= 0) flows.positions.set(all.slice(first).filter(({ raw }) => raw !== "--"));
}

function noteRead(program: string, args: readonly Word[], flows: ShellFlows): void {
  for (const { literal } of args) {
    if (literal === null) continue;
    flows.assignInput(literal);
    if (isEvaluatedName(literal))
      flows.sink(flows.inputs.readable(flows.positions.scope), `the shell evaluates what is put into ${literal}`);
  }
  flows.assignInput(program === "read" ? "REPLY" : "MAPFILE");
}

/** `[ -v name ]` evaluates an index; `[ "$n" -gt 0 ]` fails for what is no number. */
function noteTest(args: readonly Word[], all: readonly Word[], flows: ShellFlows): void {
  all.forEach(({ raw }, index) => {
    if (!NAME_TESTS.has(raw)) return;
    const operand = all[index + 1];
    flows.sink(
      operand?.variables ?? [],
      `${raw} takes the name of a variable, and evaluates it: test the value itself`,
    );
  });
  const operands = all.filter(({ raw }) => raw !== "]");
  if (operands.length !== 3 || !ARITHMETIC_COMPARISONS.has(operands[1]?.raw ?? "")) return;
  const numbers = args.flatMap(({ raw }) => loneVariable(raw) ?? []).map((name) => flows.positions.holderOf(name));
  flows.numbers.push({ type: "test", whenTrue: numbers, whenFalse: [] });
}

function without(word: Word, prefix: string): Word {
  return { ...word, raw: word.raw.slice(prefix.length), literal: word.literal?.slice(prefix.length) ?? null };
}

/** The words of a command that may name a file which it runs. */
export function runFiles(words: readonly Word[]): readonly Word[] {
  const start = words.findIndex(
    (word) => !isAssignment(word) && !word.raw.startsWith("-") && !Object.hasOwn(WRAPPERS, programOf(word) ?? ""),
  );
  const program = words[start];
  if (program === undefined) return [];
  const name = programOf(program) ?? program.raw;
  return interpreterOf(name) !== null || Object.hasOwn(EVALUATING, name) ? words.slice(start) : [program];
}

const COUNTS = /^(?:-[clmw]+|--(?:bytes|chars|lines|words))$/u;
const COUNTING_OPTION = /^(?:-[A-Za-z]*c[A-Za-z]*|--count)$/u;

/** Notes whether a command prints a count, nothing, or something else. */
export function notePrinted(words: readonly Word[], prints: { number: boolean; other: boolean }): void {
  const [program, ...args] = words.filter((word) => !isAssignment(word));
  if (program === undefined) return;
  const options = args.map(({ literal }) => literal ?? "");
  const name = programOf(program);
  const isGrep = /^(?:[efz]?grep|pgrep)$/u.test(name ?? "");
  const operands = args.filter(({ raw }) => !raw.startsWith("-"));
  if (
    name === "wc"
      ? options.length > 0 && options.every((option) => COUNTS.test(option))
      : isGrep && operands.length < 3 && options.some((option) => COUNTING_OPTION.test(option))
  )
    prints.number = true;
  else if (name !== "true" && name !== ":" && !(name === "echo" && options.every((option) => /^[0-9]+$/u.test(option))))
    prints.other = true;
}
