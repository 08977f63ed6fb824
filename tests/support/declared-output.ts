import { appendFileSync } from "node:fs";
import { type ActionRun, MATRIX_FILE_VARIABLE } from "../../scripts/matrix-columns.ts";
import { CUT } from "../../schema/contract/action-outputs.ts";
import { ACTIONS, isActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

const written = new Set<string>();

/**
 * Every test that runs an action passes its outcome through here. Throws where an action that succeeded gives an output
 * that its descriptor does not declare, or lacks one that is not optional. `npm test` reads which actions succeeded.
 */
export function asDeclared<T extends { status: string; output: JsonObject | null }>(
  action: string,
  outcome: T,
  file: string | null = process.env[MATRIX_FILE_VARIABLE] ?? null,
): T {
  if (outcome.status !== "succeeded" || !isActionName(action)) return outcome;
  const problems = problemsOf(ACTIONS[action].output, outcome.output ?? {});
  if (problems !== "") throw new Error(`The output of ${action} is not the one of its descriptor: ${problems}.`);
  if (file === null || written.has(action)) return outcome;
  appendFileSync(file, `${JSON.stringify({ ran: action } satisfies ActionRun)}\n`);
  written.add(action);
  return outcome;
}

function problemsOf(declared: Readonly<Record<string, { readonly isOptional?: true }>>, output: JsonObject): string {
  // Any output that was too large has the names of `CUT`, and may lack what did not fit.
  const isCut = output["truncated"] === true;
  const unknown = Object.keys(output).filter((name) => !Object.hasOwn(CUT, name) && !Object.hasOwn(declared, name));
  const missing = Object.entries(declared).filter(
    ([name, { isOptional }]) => !isCut && isOptional !== true && !Object.hasOwn(output, name),
  );
  return [
    ...unknown.map((name) => `it does not declare ${name}`),
    ...missing.map(([name]) => `${name} is missing`),
  ].join(", ");
}
