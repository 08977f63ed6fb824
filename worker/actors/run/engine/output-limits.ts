import type { JsonObject, JsonValue } from "../../../../schema/contract/json.ts";
import type { Failure } from "../../../../schema/contract/problem.ts";
import { EXECUTION_OUTPUTS_MAX_BYTES, OUTPUT_MAX_BYTES } from "../../../../schema/limits.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";
import { jsonBytes } from "../../../domain/json-bytes.ts";
import type { Draft } from "./draft.ts";

/**
 * Agents cut large outputs and set `truncated`. An output that is still too large cannot be stored
 * (docs/design/limits.md#outputs).
 */
export function outputTooLarge(draft: Draft, output: JsonObject | null): Failure | null {
  if (output === null) return null;
  const bytes = jsonBytes(output);
  if (bytes > OUTPUT_MAX_BYTES) {
    return {
      code: "output_too_large",
      message: `The step ended, but its output has ${bytes} bytes, and at most ${OUTPUT_MAX_BYTES} are kept. Let it return less.`,
    };
  }
  if (bytes + outputBytes(draft.runs) <= EXECUTION_OUTPUTS_MAX_BYTES) return null;
  return {
    code: "outputs_too_large",
    message: `The step ended, but the outputs of this execution together exceed ${EXECUTION_OUTPUTS_MAX_BYTES} bytes. Let its nodes return less.`,
  };
}

/** The total size of the outputs of node runs, as JSON. */
export function outputBytes(runs: Iterable<NodeRun>): number {
  let bytes = 0;
  for (const { output } of runs) bytes += bytesOf(output);
  return bytes;
}

/** Outputs never change, so each is measured once. */
const known = new WeakMap<object, number>();

function bytesOf(output: JsonValue | null): number {
  if (output === null || typeof output !== "object") return output === null ? 0 : jsonBytes(output);
  const measured = known.get(output) ?? jsonBytes(output);
  known.set(output, measured);
  return measured;
}
