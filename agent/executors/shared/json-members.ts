import { type JsonObject, type JsonValue, jsonValueSchema } from "../../../schema/contract/json.ts";
import { objectOf } from "../../../schema/contract/json-object.ts";

/** One member whose value is a text, a number, true, false or null, with the comma behind it. */
const SIMPLE_MEMBER = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)\s*,/uy;

/**
 * A body as an object; empty when it is none. A cut body gives the simple members at its beginning: vendors put the
 * outcome and the id of a new object first.
 */
export function parsedObject(body: JsonValue, truncated: boolean): JsonObject {
  if (typeof body !== "string") return objectOf(body);
  if (!/^\s*\{/u.test(body)) return {};
  return truncated ? leadingMembers(body) : objectOf(parsedJson(body));
}

/** The value, if it is a list; an empty one if not. */
export function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text that is not empty, else null. */
export function textIn(value: JsonValue | undefined): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function leadingMembers(text: string): JsonObject {
  const members: [string, JsonValue][] = [];
  SIMPLE_MEMBER.lastIndex = text.indexOf("{") + 1;
  for (let match = SIMPLE_MEMBER.exec(text); match !== null; match = SIMPLE_MEMBER.exec(text)) {
    const [, name = "", value = ""] = match;
    const key = parsedJson(name);
    const simple = parsedJson(value);
    if (typeof key !== "string" || simple === undefined) break;
    members.push([key, simple]);
  }
  return Object.fromEntries(members);
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return jsonValueSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
