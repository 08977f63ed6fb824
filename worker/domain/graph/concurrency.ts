import type { Concurrency } from "../../../schema/contract/concurrency.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import type { Steps } from "../steps.ts";
import { keyProblems } from "./trigger-key.ts";

/** Problems with a workflow's `concurrency`. */
export function concurrencyProblems(
  { mode, key = "", maxQueued }: Concurrency,
  trigger: Trigger | undefined,
  steps: Steps,
): FieldError[] {
  return [
    ...keyProblems(key, "key", trigger, steps),
    ...(mode === "queue" || maxQueued === undefined
      ? []
      : [{ path: "maxQueued", message: `has no meaning with the mode ${mode}: leave it out, or use the mode queue` }]),
  ];
}
