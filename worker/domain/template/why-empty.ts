import type { JsonValue } from "../../../schema/contract/json.ts";
import { ownValue } from "../own-value.ts";
import type { Resolve } from "./value.ts";

/**
 * The reason why a path is empty, if it is more than a missing key: the path leads below a text, a number or a boolean,
 * or into the JSON of a stdout that is not JSON. Null in every other case.
 */
export function whyEmpty(path: readonly string[], resolve: Resolve): string | null {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const above = path.slice(0, length);
    const found = resolve(above);
    if (found === undefined) continue;
    const reason = reasonAt(above.join("."), found, path[length] ?? "");
    return reason === null ? null : `${reason}, so the value is empty`;
  }
  return null;
}

/** `found` is the value of the longest part of the path that has one, and `name` is the next part. */
function reasonAt(above: string, found: JsonValue, name: string): string | null {
  if (typeof found === "string") return `${above} is text and has nothing called ${name}`;
  if (typeof found === "number") return `${above} is a number and has nothing called ${name}`;
  if (typeof found === "boolean") return `${above} is ${String(found)} and has nothing called ${name}`;
  if (name !== "json" || !above.endsWith(".output") || typeof ownValue(found, ["stdout"]) !== "string") return null;
  return `${above}.stdout is not one whole JSON value`;
}
