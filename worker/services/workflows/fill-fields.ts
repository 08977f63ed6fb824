import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { fillConditions } from "./fill-conditions.ts";

/** Placeholders for required fields. None of them has a problem, or names something that does not exist. */
const STAND_INS: Readonly<Record<string, JsonValue>> = {
  items: "[]",
  when: { logic: "all", conditions: [] },
  seconds: 1,
  message: "-",
  workflowId: "-",
};

/**
 * Replaces each field in which `wrong` has a problem with a placeholder, or removes an optional one. `made` has the
 * fields that were replaced or removed. `type`, `action` and the body of a forEach are not touched.
 */
export function fillFields(
  raw: JsonObject,
  wrong: readonly (readonly string[])[],
  newId: () => string,
): { node: Readonly<Record<string, unknown>>; made: string[] } {
  const node: Record<string, unknown> = { ...raw };
  const made: string[] = [];
  for (const field of new Set(wrong.map(([name = ""]) => name))) {
    if (field === "type" || field === "action" || field === "body") continue;
    const group = field === "when" || field === "check" ? fillConditions(node[field]) : null;
    if (group !== null) {
      // The conditions of the right shape stay, and a check finds nothing in the rest.
      node[field] = group;
      continue;
    }
    made.push(field);
    if (field === "id") node[field] = newId();
    else if (Object.hasOwn(STAND_INS, field)) node[field] = STAND_INS[field];
    else delete node[field];
  }
  return { node, made };
}
