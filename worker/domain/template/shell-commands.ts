import type { ShellDialect } from "./shell.ts";
import { EVALUATING, UNKNOWN_PROGRAM, WRAPPERS, interpreterOf } from "./shell-programs.ts";
import type { Interpreter } from "./shell-programs.ts";
import { codeArguments, isShell, opensArguments, whatRuns } from "./shell-options.ts";
import { ARITHMETIC_COMPARISONS, NAME_TESTS } from "./shell-tests.ts";
import {
  ASSIGNMENT,
  assignedName,
  hasTemplates,
  isAssignment,
  isEvaluatedName,
  isPutTogether,
  mayVanish,
  programOf,
  templatesOf,
  readingsOf,
} from "./shell-word.ts";
import type { Word } from "./shell-word.ts";

/** Constant, exported, global: these evaluate nothing. */
const HARMLESS_DECLARATION = /^-[rxg]+$/u;

/** Expansions that may be nothing: behind each the next word could be the command. */
const MAX_UNKNOWN = 20;

/** Why templates of a simple command are refused, by their numbers; what is not there is accepted. */
export function refusalsOf(dialect: ShellDialect, words: readonly Word[]): Map<number, string> {
  const refusals = new Refusals();
  for (const known of readingsOf(words)) {
    const command = known.findIndex((word) => !isAssignment(word));
    for (const word of command < 0 ? known : known.slice(0, command)) checkAssignment(word, refusals);
    if (command >= 0) checkCommand(dialect, known.slice(command), refusals);
  }
  const [first, ...args] = words.slice(words.findIndex((word) => !isAssignment(word)));
  if (first !== undefined && isPutTogether(first))
    refusals.add(args, "the command's name is put together from parts: write the whole name");
  return refusals.byTemplate;
}

class Refusals {
  readonly byTemplate = new Map<number, string>();

  /** Refuses every template of these words; the first reason stays. */
  add(words: readonly Word[], reason: string): void {
    for (const index of words.flatMap(templatesOf)) {
      if (!this.byTemplate.has(index)) this.byTemplate.set(index, reason);
    }
  }
}

function checkAssignment(word: Word, refusals: Refusals): void {
  const name = assignedName(word);
  if (isEvaluatedName(name))
    refusals.add([word], `the shell evaluates what is put into ${name}: use a variable with another name`);
}

function checkCommand(dialect: ShellDialect, words: readonly Word[], refusals: Refusals): void {
  const [first, ...args] = words;
  if (first === undefined || !words.some(hasTemplates)) return;
  if (hasTemplates(first)) {
    refusals.add(
      [first],
      "here it would name the program that runs: write the command itself, and use the template for its arguments",
    );
  }
  // An element of an array: outside an assignment its index is arithmetic for those who take names.
  refusals.add(
    args.filter((word) => /^[A-Za-z_][A-Za-z0-9_]*\[[^\]]*\0/u.test(word.raw)),
    "as the index of an array the value would be arithmetic",
  );
  const program = programOf(first);
  if (program === null) return checkUnknown(dialect, first, args, refusals);
  const advice = Object.hasOwn(EVALUATING, program) ? EVALUATING[program] : undefined;
  if (advice !== undefined) return refusals.add(args, `${program} would run or evaluate the value: ${advice}`);
  const interpreter = interpreterOf(program);
  if (interpreter !== null) return checkInterpreter(program, interpreter, args, refusals);
  if (Object.hasOwn(WRAPPERS, program)) return checkWrapper(dialect, program, args, refusals);
  switch (program) {
    case "test":
    case "[":
      return checkTest(dialect, args, refusals);
    case "printf":
      return checkPrintf(args, refusals);
    case "export":
    case "readonly":
    case "declare":
    case "typeset":
    case "local":
      return checkDeclaration(program, args, refusals);
    case "set":
      return checkSet(args, refusals);
    case "find":
      return checkFind(dialect, args, refusals);
    case "ip":
      return checkAfterNetns(dialect, args, refusals);
    case "kubectl":
    case "oc":
      return checkAfterDashes(dialect, args, refusals);
    default:
      return checkNested(program, args, refusals);
  }
}

/** `$SUDO sh -c …`: an expansion as the command may be nothing, and then the next word is the command. */
function checkUnknown(dialect: ShellDialect, first: Word, args: readonly Word[], refusals: Refusals): void {
  checkInterpreter(first.raw, namesShell(first) ?? UNKNOWN_PROGRAM, args, refusals);
  const [next] = args;
  if (args.slice(0, MAX_UNKNOWN).every((word) => programOf(word) === null) && args.length > MAX_UNKNOWN)
    return refusals.add(args, "too many expansions stand before it to know the command: write the command itself");
  if (mayVanish(first) || next === undefined || !hasTemplates(next)) checkCommand(dialect, args, refusals);
}

/** `docker exec web sh -c …`: an interpreter among the arguments of another command. */
function checkNested(program: string, args: readonly Word[], refusals: Refusals): void {
  refusals.add(codeArguments(program, args), "the value of this option is run as a command: write it yourself");
  // What follows the first unknown word is looked at with it: the next ones would find nothing else.
  let unknownBefore = false;
  args.forEach((word, index) => {
    const known = interpreterOf(programOf(word)) ?? namesShell(word);
    const isUnknown = known === null && word.literal === null && !hasTemplates(word);
    const interpreter = known ?? (isUnknown && !unknownBefore ? UNKNOWN_PROGRAM : null);
    unknownBefore ||= isUnknown;
    if (interpreter === null) return;
    const rest = args.slice(index + 1);
    const hasCode = rest.some(({ literal }) => literal !== null && interpreter.codeOption.test(literal));
    if (interpreter.nested === "always" || hasCode) checkInterpreter(word.raw, interpreter, rest, refusals);
  });
}

/** `$SHELL` and `$BASH` are a shell. */
function namesShell(word: Word): Interpreter | null {
  return word.literal === null && /SHELL|BASH/u.test(word.raw) ? interpreterOf("sh") : null;
}

function checkInterpreter(program: string, interpreter: Interpreter, args: readonly Word[], refusals: Refusals): void {
  const reason = `${program} would run the value as code: pass it as an argument after the code, or in an environment variable`;
  let operands = interpreter.codeOperands;
  let values = 0;
  let codeNext = false;
  let onlyOperands = false;
  for (const word of args) {
    // An option that an expansion is glued to is that option when the expansion is empty.
    const literal = word.literal ?? (hasTemplates(word) || word.residue === "" ? null : word.residue);
    if (values > 0) {
      values -= 1;
      continue;
    }
    const isOption = !onlyOperands && /^[-+]./u.test(literal ?? word.raw);
    if (isOption && literal === "--") onlyOperands = true;
    else if (isOption && literal !== null && interpreter.codeOption.test(literal)) {
      codeNext = true;
      operands = 0;
      if (interpreter.valueCluster?.test(literal) === true) values = 1;
    } else if (literal === null && !hasTemplates(word) && mayVanish(word)) continue;
    else if (isOption && literal !== null)
      values = interpreter.valueOptions?.[literal] ?? Number(interpreter.valueCluster?.test(literal) ?? false);
    else if (isOption) refusals.add([word], reason);
    else if (codeNext || operands > 0) {
      refusals.add([word], reason);
      if (!codeNext) operands -= 1;
      codeNext = false;
      if (interpreter.optionsEnd) return checkArguments(program, word, args, refusals);
    } else if (!onlyOperands && interpreter.nested !== "unknown") {
      // Where options may follow operands, a value that looks like one would be one.
      refusals.add(
        [word],
        `${program} would take a value such as -e as an option that brings code: write -- before it`,
      );
    }
  }
}

/** Code of other languages is not read, only looked through for what would run an argument. */
function checkArguments(program: string, code: Word, args: readonly Word[], refusals: Refusals): void {
  const name = program.split("/").at(-1) ?? "";
  if (code.literal === null || isShell(name)) return;
  const runs = whatRuns(name, code.literal);
  if (runs !== null)
    refusals.add(args, `the code of ${program} contains ${runs}, which could run the value: write it without`);
  else if (opensArguments(name, args))
    refusals.add(args, `${program} would run a value that ends with |: give it the file as its input (< {{…}})`);
}

function checkWrapper(dialect: ShellDialect, program: string, args: readonly Word[], refusals: Refusals): void {
  const {
    valueOptions,
    dataOptions = [],
    operands = 0,
    operandsAreData = false,
  } = WRAPPERS[program] ?? { valueOptions: [] };
  let skipped = 0;
  let position = 0;
  for (; position < args.length; position += 1) {
    const word = args[position];
    if (word === undefined) break;
    const { literal } = word;
    if (program === "command" && (literal === "-v" || literal === "-V")) return;
    if (program === "env" && /^(?:-[a-z]*S|--split-string)/u.test(word.raw)) {
      return refusals.add(args, "env -S splits the value into a command: write the command itself");
    }
    if (literal !== null && valueOptions.includes(literal)) {
      position += 1;
      const value = args[position];
      if (value !== undefined && !dataOptions.includes(literal))
        refusals.add([value], `the options of ${program} cannot be values: write them yourself`);
    } else if (literal !== null && literal.startsWith("-")) continue;
    else if (ASSIGNMENT.test(word.raw)) checkAssignment(word, refusals);
    else if (skipped < operands && (literal !== null || hasTemplates(word))) {
      skipped += 1;
      if (!operandsAreData)
        refusals.add([word], `what stands before the command of ${program} cannot be a value: write it yourself`);
    } else break;
  }
  checkCommand(dialect, args.slice(position), refusals);
}

/**
 * `[ … ]` decides by the number of its words what each one is, so with the operator written plainly a value cannot
 * become one. Some sh evaluate numbers as arithmetic here, as a ksh does; bash does not.
 */
function checkTest(dialect: ShellDialect, args: readonly Word[], refusals: Refusals): void {
  const closed = args.at(-1)?.raw === "]" ? args.slice(0, -1) : args;
  const operands = closed[0]?.raw === "!" && closed.length > 1 ? closed.slice(1) : closed;
  const [left, middle, right] = operands;
  if (dialect === "sh" && operands.some(({ literal }) => literal !== null && ARITHMETIC_COMPARISONS.has(literal))) {
    return refusals.add(
      args,
      "some sh evaluate what they compare as numbers: use a bash script, or compare it as text with =",
    );
  }
  if (operands.length === 1) return;
  if (
    operands.length === 2 &&
    left?.literal != null &&
    /^-[A-Za-z]$/u.test(left.literal) &&
    !NAME_TESTS.has(left.literal)
  ) {
    return;
  }
  if (operands.length === 3 && right !== undefined && middle?.literal != null && isComparison(middle.literal)) return;
  refusals.add(args, "in a test with more than one operator the value could become one: write [ … ] && [ … ] instead");
}

function isComparison(operator: string): boolean {
  return ARITHMETIC_COMPARISONS.has(operator) || /^(?:=|==|!=|<|>|-nt|-ot|-ef)$/u.test(operator);
}

function checkPrintf([format, ...args]: readonly Word[], refusals: Refusals): void {
  if (format === undefined) return;
  if (hasTemplates(format))
    refusals.add([format], "printf would read the value as a format: write printf '%s\\n' {{…}}");
  if (format.literal === null ? !hasTemplates(format) : format.literal.startsWith("-") && format.literal !== "--") {
    refusals.add(args, "printf -v takes the name of a variable, and evaluates it: write name={{…}}");
  }
  if (format.literal === "--") checkPrintf(args, refusals);
}

function checkDeclaration(program: string, args: readonly Word[], refusals: Refusals): void {
  if (args.some(({ raw }) => /^[-+]/u.test(raw) && !HARMLESS_DECLARATION.test(raw))) {
    return refusals.add(
      args,
      `${program} with options would evaluate the value: write name={{…}} on a line of its own`,
    );
  }
  for (const word of args) {
    if (ASSIGNMENT.test(word.raw)) checkAssignment(word, refusals);
    else if (!HARMLESS_DECLARATION.test(word.raw))
      refusals.add([word], `here the value would be the name of a variable: write ${program} name={{…}}`);
  }
}

function checkSet(args: readonly Word[], refusals: Refusals): void {
  const dashes = args.findIndex(({ literal }) => literal === "--");
  refusals.add(dashes < 0 ? args : args.slice(0, dashes), "set would take the value as an option: write set -- {{…}}");
}

function checkFind(dialect: ShellDialect, args: readonly Word[], refusals: Refusals): void {
  args.forEach(({ literal }, index) => {
    if (literal === null || !/^-(?:exec|execdir|ok|okdir)$/u.test(literal)) return;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word.literal === ";" || word.literal === "+");
    checkCommand(dialect, end < 0 ? rest : rest.slice(0, end), refusals);
  });
}

function checkAfterDashes(dialect: ShellDialect, args: readonly Word[], refusals: Refusals): void {
  const dashes = args.findIndex(({ literal }) => literal === "--");
  if (dashes >= 0 && args.some(({ literal }) => literal === "exec"))
    checkCommand(dialect, args.slice(dashes + 1), refusals);
  checkNested("", args, refusals);
}

/** `ip netns exec name command …` */
function checkAfterNetns(dialect: ShellDialect, args: readonly Word[], refusals: Refusals): void {
  const exec = args.findIndex(({ literal }) => literal === "exec");
  if (exec >= 0) checkCommand(dialect, args.slice(exec + 2), refusals);
}
