import type { Definition } from "../../../../schema/contract/workflow.ts";
import type { ExecutionState } from "../../../domain/execution-state.ts";
import { Draft } from "./draft.ts";
import type { StepDeps } from "./types.ts";

/** A draft for reading an execution; it makes no steps. */
export function readOnlyDraft(definition: Definition, state: ExecutionState): Draft {
  return new Draft(definition, state, 0, NO_DEPS);
}

const NO_DEPS: StepDeps = {
  newId: () => {
    throw new Error("a read-only draft makes no ids");
  },
  publishedBy: null,
  route: () => null,
  child: () => null,
};
