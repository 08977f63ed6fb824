import type { JsonValue } from "../../../../schema/contract/json.ts";
import { jsonBytes } from "../../../domain/json-bytes.ts";
import type { NodeRun } from "../../../domain/execution-state.ts";

/** Outputs never change, so each is measured once. */
const known = new WeakMap<object, number>();

/** How much the outputs of node runs hold together, as JSON. */
export function outputBytes(runs: Iterable<NodeRun>): number {
  let bytes = 0;
  for (const { output } of runs) bytes += bytesOf(output);
  return bytes;
}

function bytesOf(output: JsonValue | null): number {
  if (output === null || typeof output !== "object") return output === null ? 0 : jsonBytes(output);
  const measured = known.get(output) ?? jsonBytes(output);
  known.set(output, measured);
  return measured;
}
