import { isVariableName } from "../../../schema/contract/variable-name.ts";
import type { Environment, System } from "./environment.ts";
import { mergedEnvironment, traceEnvironment } from "./environment.ts";
import { ExecutorFailure, invalidParams } from "./failures.ts";

/** The limit of Windows for a whole environment, and so for one variable: `NAME=value` and a NUL, in UTF-16 units. */
const WINDOWS_MAX_CHARS = 32_767;
/** The limit of Linux for each `NAME=value` and a NUL (MAX_ARG_STRLEN). Other systems limit only the sum (ARG_MAX). */
const POSIX_MAX_BYTES = 128 * 1_024;
const PASS_LESS = "Pass less data, or let the script fetch it.";
const REMEDIES = {
  value_not_representable: "Remove it from the value.",
  value_too_large: PASS_LESS,
} as const;

export interface VariableProblem {
  code: keyof typeof REMEDIES;
  /** The end of a sentence about the value. */
  message: string;
}

/**
 * Refuses variables that an environment of this system cannot carry. `whole` is the environment that the variables
 * belong to, which Windows limits. Throws `invalid_params` for a name, `value_not_representable`, `value_too_large` and
 * `values_too_large`.
 */
export function checkVariables(
  variables: Readonly<Environment>,
  system: System,
  whole: Readonly<Environment> = variables,
): void {
  for (const [name, value] of Object.entries(variables)) {
    if (!isVariableName(name)) throw invalidParams(`${name} cannot be the name of an environment variable.`);
    const problem = variableProblem(name, value, system);
    if (problem === null) continue;
    const { code, message } = problem;
    throw new ExecutorFailure(code, `The value of ${name} ${message}. ${REMEDIES[code]}`);
  }
  if (hasRoom(whole, system)) return;
  const chars = charsOf(whole);
  const message = `The variables have ${chars} characters together, with their names; an environment of Windows holds at most ${WINDOWS_MAX_CHARS}. ${PASS_LESS}`;
  throw new ExecutorFailure("values_too_large", message);
}

/**
 * The environment with the job's trace context, unless it has a variable of that name or no room: no job may fail because
 * of its trace.
 */
export function withTraceContext(
  environment: Environment,
  job: { traceparent: string | null },
  system: System,
): Environment {
  const traced = mergedEnvironment(system, traceEnvironment(job), environment);
  return hasRoom(traced, system) ? traced : environment;
}

function hasRoom(whole: Readonly<Environment>, system: System): boolean {
  return system === "posix" || charsOf(whole) <= WINDOWS_MAX_CHARS;
}

function charsOf(whole: Readonly<Environment>): number {
  return Object.entries(whole).reduce((sum, [name, value]) => sum + variableSize(name, value, "windows"), 0);
}

/** Why an environment cannot carry this value; null when it can. */
export function variableProblem(name: string, value: string, system: System): VariableProblem | null {
  if (value.includes("\0")) return notRepresentable("a NUL character");
  if (!value.isWellFormed()) return notRepresentable("half a character");
  const [most, unit] = system === "windows" ? [WINDOWS_MAX_CHARS, "characters"] : [POSIX_MAX_BYTES, "bytes"];
  const size = variableSize(name, value, system);
  if (size <= most) return null;
  const message = `takes ${size} ${unit} with its name; an environment variable holds at most ${most}`;
  return { code: "value_too_large", message };
}

function variableSize(name: string, value: string, system: System): number {
  const text = `${name}=${value}\0`;
  return system === "windows" ? text.length : Buffer.byteLength(text);
}

function notRepresentable(what: string): VariableProblem {
  return { code: "value_not_representable", message: `contains ${what}, which no environment variable can carry` };
}
