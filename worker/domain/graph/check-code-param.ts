import { codeLanguage } from "../../../schema/contract/action.ts";
import type { ActionName, CodeLanguage } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { FieldError, Fix } from "../../../schema/contract/problem.ts";
import { firstErrors, shorten } from "../shown-errors.ts";
import { hasTemplate } from "../template-texts.ts";
import { checkCode } from "../template/check-code.ts";
import type { CheckedPlace } from "../template/check-code.ts";
import { loneTemplate } from "../template/parse.ts";
import type { Template } from "../template/parse.ts";
import type { Steps } from "../steps.ts";
import { namedValuesOf } from "../render-named-values.ts";
import { variablesInArithmetic, warningsAt } from "./code-warnings.ts";
import { importsOs, nameFor, referenceTo } from "./name-for-value.ts";

/** The result of a check: problems, which prevent saving, and warnings about possible mistakes. */
export interface Findings {
  readonly problems: readonly FieldError[];
  readonly warnings: readonly FieldError[];
}

/** A script with more names gets no fix that needs a new one. */
const NAMES_MAX = 500;

/** Checks a code parameter: whether its templates are in allowed places, and warnings, with a fix where one is safe. */
export function checkCodeParam(
  action: ActionName,
  name: string,
  params: JsonObject,
  at: string,
  steps: Steps,
): Findings {
  const text = params[name];
  if (typeof text !== "string") return { problems: [], warnings: [] };
  const path = `${at}.${name}`;
  if (text.trim() === "") return { problems: [{ path, message: "is required: write the code to run" }], warnings: [] };
  const language = codeLanguage(action, name, params) ?? "unknown";
  const named = namedValuesOf(action, params);
  // `$@` may hold free text, like the variables of env.
  const beside = [...Object.keys(named.members), ...(hasTemplate(params["arguments"]) ? ["@"] : [])];
  const { problems, places } = checkCode(language, text, new Set(beside), steps);
  const env = named.kind === "env" ? named.members : null;
  const start = language === "python" && !importsOs(text) ? [importOs(text, path)] : [];
  const code: CodeParam = { at, path, language, start, env, taken: namesTaken(text, named.members, steps), steps };
  return {
    problems: firstErrors(problems, ({ message, repair }) => {
      const fix =
        repair === undefined
          ? null
          : repair.kind === "int"
            ? insertFilter(code, repair.place.template, "| int")
            : variableFix(code, repair.place);
      return [{ path, message, ...(fix === null ? {} : { fix }) }];
    }),
    warnings: [
      ...(language === "bash" || language === "sh" ? arithmeticWarnings(code, text) : []),
      ...firstErrors(places.flatMap(warningsAt), ({ place, message, repair }) => {
        const fix =
          repair === "required"
            ? insertFilter(code, place.template, "| required")
            : repair === "env"
              ? variableFix(code, place)
              : null;
        const said = `line ${place.line}: ${place.template.source} ${message}`;
        return [{ path, message: said, ...(fix === null ? {} : { fix }) }];
      }),
    ],
  };
}

function arithmeticWarnings({ at, env, steps }: CodeParam, script: string): FieldError[] {
  if (env === null) return [];
  steps.spend(script.length);
  return firstErrors(variablesInArithmetic(script, env), ({ name, message }) => {
    const path = `${at}.env.${name}`;
    const value = env[name];
    const template = typeof value === "string" ? loneTemplate(value) : null;
    if (template === null) return [{ path, message }];
    const end = template.source.length - "}}".length;
    const fix: Fix = { title: "Use | int", edits: [{ path, start: end, end, value: " | int" }] };
    return [{ path, message, fix }];
  });
}

/** `at` is the path of the action's parameters, `path` the path of this one. */
interface CodeParam {
  readonly at: string;
  readonly path: string;
  readonly language: CodeLanguage | "unknown";
  /** What the script needs at its start before it can read a variable. */
  readonly start: Fix["edits"];
  readonly env: JsonObject | null;
  /** The names of `env`, and possible variables of the script: a new name avoids them. Null for too many. */
  readonly taken: () => JsonObject | null;
  readonly steps: Steps;
}

/** Computed once, when a fix first needs the names. */
function namesTaken(text: string, env: JsonObject, steps: Steps): () => JsonObject | null {
  let taken: JsonObject | null | undefined;
  return () => {
    if (taken !== undefined) return taken;
    steps.spend(text.length);
    const inScript = [...text.matchAll(/\b[A-Z][A-Z0-9_]*\b/gu)].map(([name]): [string, string] => [name, ""]);
    const names = { ...Object.fromEntries(inScript), ...env };
    taken = Object.keys(names).length > NAMES_MAX ? null : names;
    return taken;
  };
}

/** `| required` goes directly after the path, so that a narrowing filter stays the last one. */
function insertFilter({ path }: CodeParam, template: Template, filter: "| int" | "| required"): Fix | null {
  const { at, source, filters } = template;
  const isFirst = filter === "| required" && filters.length > 0;
  // A name in brackets may contain a bar, so the first bar need not be a filter's.
  if (isFirst && template.path.some((name) => name.includes("|"))) return null;
  const start = at + (isFirst ? source.indexOf("|") : source.length - "}}".length);
  const value = isFirst ? `${filter} ` : ` ${filter}`;
  return { title: `Use ${filter} in ${shorten(source, 40)}`, edits: [{ path, start, end: start, value }] };
}

/** Replaces a whole word or string by the reference to a variable, and adds the value to `env`. */
function variableFix(code: CodeParam, { template, variable, startsCommand }: CheckedPlace): Fix | null {
  const { at, path, language, start, env, steps } = code;
  const taken = env === null || variable == null || startsCommand === true ? null : code.taken();
  if (env === null || taken === null) return null;
  steps.spend(Object.keys(taken).length);
  const name = nameFor(template.path, template.source, "env", taken);
  const reference = referenceTo(name, language);
  if (reference === null) return null;
  const quote = variable === "string" ? 1 : 0;
  const end = template.at + template.source.length;
  return {
    title: `Pass it in env as ${name}`,
    edits: [
      ...(Object.hasOwn(env, name) ? [] : [{ path: `${at}.env.${name}`, value: template.source }]),
      ...start,
      { path, start: template.at - quote, end: end + quote, value: reference },
    ],
  };
}

/** Below the comments at the top, whose first line may name the interpreter. */
function importOs(script: string, path: string): Fix["edits"][number] {
  const start = /^(?:#[^\n]*\n)*/u.exec(script)?.[0].length ?? 0;
  return { path, start, end: start, value: "import os\n" };
}
