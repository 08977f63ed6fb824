import type { JsonObject } from "../../../schema/contract/json.ts";
import { hasTemplate } from "../template-texts.ts";
import type { CheckedPlace } from "../template/check-code.ts";
import { isNarrowed } from "../template/filters.ts";
import { loneTemplate } from "../template/parse.ts";
import { runsVariables } from "../template/shell.ts";

/** A possible mistake, as the end of a sentence, and its repair if that is safe. */
export interface CodeWarning {
  readonly place: CheckedPlace;
  readonly message: string;
  readonly repair?: "env" | "required";
}

/** Paths that usually hold free text. */
const FREE_TEXT = /^(?:incident\.(?:title|description)|error\.message|nodes\.[^.]+\.output\.stdout)$/u;
const USUALLY_REFUSED =
  "usually holds free text, and only a plain word can be here: the step would fail with unsafe_value. Pass it in env.";
const CHOOSES_PROGRAM =
  "is where a command begins: the value chooses the program. Write the program out, or pin the choice with | oneOf.";
const PARENT_DIRECTORY =
  "touches a slash: with an empty value the path is the parent directory. Write | required, or | default.";

/** Warnings about a template in code that can be saved. */
export function warningsAt(place: CheckedPlace): CodeWarning[] {
  const { template, before, after, startsCommand } = place;
  const { path, filters } = template;
  const warnings: CodeWarning[] = [];
  const isPinned = isNarrowed(filters);
  if (!isPinned && FREE_TEXT.test(path.join("."))) warnings.push({ place, message: USUALLY_REFUSED, repair: "env" });
  if (!isPinned && startsCommand === true) warnings.push({ place, message: CHOOSES_PROGRAM });
  const mayBeEmpty = !filters.some(({ name }) => name === "required" || name === "default");
  if (mayBeEmpty && (before === "/" || after === "/")) {
    warnings.push({ place, message: PARENT_DIRECTORY, repair: "required" });
  }
  return warnings;
}

const RUNS_VARIABLE =
  "is read by arithmetic in the script, which runs what free text such as a[$(command)] holds. Write | int, or | oneOf.";

/** Variables of `env` without a pinned value that a shell script reads in arithmetic. */
export function variablesInArithmetic(script: string, env: JsonObject): { name: string; message: string }[] {
  const words = new Set(script.split("\n").flatMap((line) => (runsVariables(line) ? (line.match(/\w+/gu) ?? []) : [])));
  return Object.entries(env)
    .filter(([name, value]) => words.has(name) && typeof value === "string" && !isPinned(value))
    .map(([name]) => ({ name, message: RUNS_VARIABLE }));
}

/** A value without a template is pinned: the author wrote it. */
function isPinned(value: string): boolean {
  const template = loneTemplate(value);
  return template === null ? !hasTemplate(value) : isNarrowed(template.filters);
}
