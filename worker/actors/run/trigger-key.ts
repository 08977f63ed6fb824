import type { Definition } from "../../../schema/contract/workflow.ts";
import { CONCURRENCY_KEY_MAX_CHARS } from "../../../schema/limits.ts";
import type { ExecutionState } from "../../domain/execution-state.ts";
import { renderText } from "../../domain/render-data.ts";
import { TemplateFailure } from "../../domain/template/failure.ts";
import { triggerValues } from "./engine/resolve.ts";

/** A key filled in from the trigger. Throws `TemplateFailure` for one that cannot be filled in, or is too long. */
export function triggerKeyOf(
  kind: "coalescing" | "concurrency" | "limit",
  key: string | undefined,
  definition: Definition,
  state: ExecutionState,
): string {
  // Half of a character, as of a text that its source has cut, is stored in another form than it is looked for.
  const text = renderText(key ?? "", triggerValues(definition, state)).toWellFormed();
  if (text.length <= CONCURRENCY_KEY_MAX_CHARS) return text;
  throw new TemplateFailure(
    "key_too_long",
    `The ${kind} key has ${text.length} characters with its values, and at most ${CONCURRENCY_KEY_MAX_CHARS} are allowed. Use a shorter value.`,
  );
}
