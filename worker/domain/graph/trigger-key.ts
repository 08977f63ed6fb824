import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { readsSensitive } from "../sensitive.ts";
import type { Steps } from "../steps.ts";
import { templatesOf } from "../template/parse.ts";
import { templatesIn } from "../template-texts.ts";
import { templateProblems } from "./params.ts";
import { triggerPathProblem } from "./references.ts";

/** Problems with a key that is filled in before the first node, so that only the trigger has values. */
export function keyProblems(key: string, at: string, trigger: Trigger | undefined, steps: Steps): FieldError[] {
  const used = templatesIn(key, "", steps).flatMap(({ parsed }) => templatesOf(parsed));
  const wrong = used.flatMap(({ source, path }) => {
    const problem =
      trigger === undefined ? null : (sensitiveProblem(path, trigger) ?? triggerPathProblem(path, trigger));
    return problem === null ? [] : [{ path: at, message: `${source}: ${problem}` }];
  });
  return [...templateProblems(key, at, steps), ...wrong.slice(0, 1)];
}

/** The key is shown to everyone who may see the run. */
function sensitiveProblem(path: readonly string[], trigger: Trigger): string | null {
  return readsSensitive(trigger, path) ? "a sensitive value cannot be part of a key, because the key is shown" : null;
}
