import { EVALUATING, UNKNOWN_PROGRAM, WRAPPERS, interpreterOf } from "./shell-programs.ts";
import type { Interpreter } from "./shell-programs.ts";

/** A text that is written out; null where something stands that is known only when the script runs. */
export type Argument = string | null;

/** The arguments that a program runs as code, by their numbers. */
export interface CodeRange {
  readonly program: string;
  readonly from: number;
  readonly to: number;
  /** It names a file of code. */
  readonly isFile?: true;
}

/** Of one list; nobody starts more. */
const MAX_INTERPRETERS = 10;

/** These run a program that one of their arguments names, elsewhere. */
const RUNNERS =
  /^(?:docker|docker-compose|podman|nerdctl|kubectl|oc|crictl|ctr|lxc|incus|machinectl|multipass|vagrant|nomad|flatpak|find|ssh|su)$/u;

/** Where a list of arguments names its program, behind sudo, env and the like. */
export function programIndex(words: readonly Argument[]): number {
  let index = 0;
  for (;;) {
    const word = words[index];
    const name = word == null ? "" : lastPart(word);
    const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
    if (wrapper === undefined) return index;
    index += 1;
    for (;;) {
      const option = words[index];
      if (option == null || !(option.startsWith("-") || (name === "env" && option.includes("=")))) break;
      index += wrapper.valueOptions.includes(option) ? 2 : 1;
    }
    index += wrapper.operands ?? 0;
  }
}

/** Which arguments of a list would be run as code: `["bash", "-c", code]`, `["awk", code]`, `["ssh", host, …code]`. */
export function codeIn(words: readonly Argument[]): CodeRange[] {
  const program = programIndex(words);
  const found: CodeRange[] = [];
  let interpreters = 0;
  words.forEach((word, index) => {
    if (word === null || interpreters > MAX_INTERPRETERS) return;
    const ranges = codeAfter(words, index, word, index === program);
    if (ranges.length > 0) interpreters += 1;
    found.push(...ranges);
  });
  const [first] = words;
  const unknown =
    first == null || first.startsWith("-") || Object.hasOwn(WRAPPERS, lastPart(first)) || RUNNERS.test(lastPart(first));
  if (!unknown) return found;
  const firstUnknown = words.indexOf(null);
  words.forEach((word, index) => {
    const named = index > 0 && (firstUnknown < 0 || firstUnknown > index);
    if (word === null || named || !UNKNOWN_PROGRAM.codeOption.test(word)) return;
    found.push({ program: `a program that is not written out, with ${word},`, from: index + 1, to: index + 1 });
  });
  return found;
}

/** Whether more arguments, added later, could be run as code. */
export function mayTakeCode(words: readonly Argument[]): boolean {
  const program = words[programIndex(words)];
  if (program == null) return true;
  return interpreterOf(lastPart(program)) !== null || Object.hasOwn(EVALUATING, lastPart(program));
}

/** The files that a list of arguments runs: `["bash", "deploy.sh"]`, `["./deploy.sh"]`. */
export function filesRun(words: readonly Argument[]): string[] {
  const index = programIndex(words);
  const program = words[index];
  if (program == null) return [];
  if (interpreterOf(lastPart(program)) === null) return program.includes("/") ? [program] : [];
  return words.slice(index + 1).filter((word): word is string => word !== null && !word.startsWith("-"));
}

function codeAfter(words: readonly Argument[], index: number, word: string, isProgram: boolean): CodeRange[] {
  const name = lastPart(word);
  if (isProgram && Object.hasOwn(EVALUATING, name)) return [{ program: word, from: index + 1, to: Infinity }];
  const interpreter = interpreterOf(name);
  if (interpreter === null) return [];
  const takesOperands = isProgram || interpreter.nested === "always";
  const found: CodeRange[] = [];
  let operands = takesOperands ? interpreter.codeOperands : 0;
  for (let at = index + 1; at < words.length; at += 1) {
    const argument = words[at] ?? null;
    if (argument !== null && interpreter.codeOption.test(argument)) {
      found.push({ program: word, from: at + 1, to: at + 1 });
      if (interpreter.optionsEnd) return found;
      operands = 0;
      at += 1;
    } else if (argument !== null && /^[-+]/u.test(argument) && optionValues(interpreter, argument) > 0) {
      at += optionValues(interpreter, argument);
    } else if (argument === null || !/^[-+]./u.test(argument)) {
      if (operands > 0) found.push({ program: word, from: at, to: at, isFile: true });
      operands -= 1;
    }
  }
  return found;
}

/** How many arguments belong to an option: `-euo pipefail`, too. */
function optionValues({ valueOptions }: Interpreter, option: string): number {
  return valueOptions?.[option] ?? (/^[-+][a-z]+o$/u.test(option) ? valueOptions?.["-o"] : undefined) ?? 0;
}

export function lastPart(path: string): string {
  return path.split("/").at(-1) ?? path;
}
