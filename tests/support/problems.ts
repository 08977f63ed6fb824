import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { FieldError } from "../../schema/contract/problem.ts";
import type { Definition, Trigger } from "../../schema/contract/workflow.ts";
import { checkDefinition } from "../../worker/domain/graph/check-definition.ts";
import type { GraphLookup } from "../../worker/domain/graph/lookup.ts";
import { checkParams } from "../../worker/domain/graph/params.ts";
import { Steps } from "../../worker/domain/steps.ts";

/** The problems that prevent a definition with this trigger from being saved. */
export function definitionProblems(
  definition: Definition,
  trigger: Trigger,
  lookup: GraphLookup,
): readonly FieldError[] {
  return checkDefinition(definition, [trigger], lookup).problems;
}

/** The problems that prevent an action with these parameters from being saved. */
export function paramProblems(action: ActionName, params: JsonObject, at = "params"): readonly FieldError[] {
  return checkParams(action, params, at, new Steps()).problems;
}
