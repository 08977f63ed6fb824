import { SCALAR_OUTPUTS } from "../../../schema/contract/action-outputs.ts";
import { payloadNames } from "../../../schema/contract/webhook-trigger.ts";
import type { Trigger } from "../../../schema/contract/workflow.ts";
import { failedTextLength } from "../failed-execution.ts";
import { isIncidentField } from "../incident/fields.ts";
import { FAILURE_FIELDS } from "../template/resolve-path.ts";

/** The reason why a path below a value known to be text or a number never resolves; null for any other path. */
export function belowScalar(path: readonly string[], trigger: Trigger): string | null {
  const known = knownScalar(path, trigger);
  if (known === null || path.length <= known.length) return null;
  const scalar = path.slice(0, known.length);
  const problem = `${scalar.join(".")} is ${known.kind} and has nothing below it`;
  if (scalar.at(-1) !== "stdout") return problem;
  return `${problem}. If it is JSON, write ${[...scalar.slice(0, -1), "json", ...path.slice(known.length)].join(".")}`;
}

/** The length of the part of a path that names such a value, and the value's kind. */
interface KnownScalar {
  readonly length: number;
  readonly kind: string;
}

const FOREACH_NUMBERS = {
  index: "a number",
  total: "a number",
  succeeded: "a number",
  failed: "a number",
  notStarted: "a number",
} as const;
const INPUT_TYPES = { string: "text", number: "a number", boolean: "true or false" } as const;

/** Tags are left out: a tag's name may have dots, so `incident.tags.ce.type` may be one tag. */
function knownScalar(path: readonly string[], trigger: Trigger): KnownScalar | null {
  const [root, first = "", second, third] = path;
  switch (root) {
    case "nodes":
      if (second === "output") return of(SCALAR_OUTPUTS, third, 4);
      return of({ status: "text", exitCode: "a number" }, second, 3);
    case "error":
      return first === "output" ? of(SCALAR_OUTPUTS, second, 3) : of(FAILURE_FIELDS, first, 2);
    case "foreach": {
      const at = path.findIndex((part, index) => index > 0 && part !== "parent");
      return of(FOREACH_NUMBERS, path[at], at + 1);
    }
    case "cron":
      return of({ scheduledAt: "text" }, first, 2);
    case "incident":
      return isIncidentField(first) ? { length: 2, kind: "text" } : null;
    case "failed": {
      const length = failedTextLength(path.slice(1));
      return length === null ? null : { length: length + 1, kind: "text" };
    }
    case "webhook":
    case "inputs": {
      if (trigger.type === "webhook") {
        const named = payloadNames(trigger) !== null && (first === "headers" || first === "query");
        return named && second !== undefined ? { length: 3, kind: "text" } : null;
      }
      const inputs = trigger.type === "manual" ? (trigger.inputs ?? {}) : {};
      return Object.hasOwn(inputs, first) ? of(INPUT_TYPES, inputs[first]?.type, 2) : null;
    }
    case undefined:
    default:
      return null;
  }
}

function of(kinds: Readonly<Record<string, string>>, name: string | undefined, length: number): KnownScalar | null {
  const kind = name !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  return kind === undefined ? null : { length, kind };
}
