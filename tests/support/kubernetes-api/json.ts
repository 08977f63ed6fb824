import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";

export function objectAt(value: JsonValue | undefined): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new PatchProblem("it is not an object there");
}

/** A patch that the API refuses with 422. */
export class PatchProblem extends Error {}

/** RFC 7386; with `strategic`, lists whose entries have names are merged by them, as for containers. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue, strategic: boolean): JsonValue {
  if (Array.isArray(patch)) return strategic ? mergeLists(target, patch) : patch;
  if (typeof patch !== "object" || patch === null) return patch;
  const merged: JsonObject =
    typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith("$")) throw new PatchProblem(`the directive ${name} is not known here`);
    if (value === null) delete merged[name];
    else merged[name] = mergePatch(merged[name], value, strategic);
  }
  return merged;
}

function mergeLists(target: JsonValue | undefined, patch: JsonValue[]): JsonValue {
  const named = (list: JsonValue[]): boolean =>
    list.every((entry) => typeof entry === "object" && entry !== null && "name" in entry);
  if (!Array.isArray(target) || !named(patch) || !named(target)) return patch;
  const result = [...target];
  for (const entry of patch) {
    const name = objectAt(entry)["name"];
    const index = result.findIndex((each) => objectAt(each)["name"] === name);
    if (index < 0) result.push(entry);
    else result[index] = mergePatch(result[index], entry, true);
  }
  return result;
}

/** RFC 6902: add, replace, remove and test on members of objects. */
export function jsonPatch(target: JsonObject, operations: JsonValue): JsonObject {
  const result = structuredClone(target);
  if (!Array.isArray(operations)) throw new PatchProblem("a JSON patch is a list");
  for (const each of operations) {
    const { op, path, value } = objectAt(each);
    if (typeof path !== "string" || !path.startsWith("/")) throw new PatchProblem("an operation has no path");
    const parts = path
      .slice(1)
      .split("/")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = parts.pop() ?? "";
    const parent = parts.reduce<JsonObject>((place, part) => objectAt(place[part]), result);
    if (op !== "add" && !(last in parent)) throw new PatchProblem(`there is nothing at ${path}`);
    if (op === "remove") delete parent[last];
    else if (op === "add" || op === "replace") parent[last] = value ?? null;
    else if (op !== "test" || !Bun.deepEquals(parent[last], value)) throw new PatchProblem(`${String(op)} failed`);
  }
  return result;
}

export function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== "object" || value === null) return value;
  const present = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(present.map(([name, inner]) => [name, withoutNulls(inner)]));
}
