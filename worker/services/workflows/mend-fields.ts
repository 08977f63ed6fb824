import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import { mendConditions } from "./mend-conditions.ts";

/** What stands for a field that a node cannot be without. None of them has a problem, or names anything that is not there. */
const STAND_INS: Readonly<Record<string, JsonValue>> = {
  items: "[]",
  when: { logic: "all", conditions: [] },
  seconds: 1,
  message: "-",
  workflowId: "-",
};

/**
 * A node with something in place of each field in which `wrong` has found a problem: nothing where it can do without.
 * `made`: the fields that were put in or left out. What a node is, its `type` and `action`, and the body of a forEach are
 * not touched.
 */
export function mendFields(
  raw: JsonObject,
  wrong: readonly (readonly string[])[],
  newId: () => string,
): { node: Readonly<Record<string, unknown>>; made: string[] } {
  const node: Record<string, unknown> = { ...raw };
  const made: string[] = [];
  for (const field of new Set(wrong.map(([name = ""]) => name))) {
    if (field === "type" || field === "action" || field === "body") continue;
    const group = field === "when" ? mendConditions(node[field]) : null;
    if (group !== null) {
      // Of its conditions stays what has the right shape: nothing is made that a check would find.
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
