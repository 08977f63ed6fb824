import type { JsonValue } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import {
  OUTPUT_JSON_KEPT_CHARS,
  OUTPUT_JSON_MAX_BYTES,
  OUTPUT_JSON_MAX_DEPTH,
  OUTPUT_JSON_SHOWN_CHARS,
} from "../../../schema/limits.ts";
import { utf8Bytes } from "../json-bytes.ts";
import { jsonExtent } from "../json-extent.ts";
import { ownValue } from "../own-value.ts";

/**
 * The value of a path in a node's output. If `stdout` is one JSON value, the output has it as `json`, which is parsed
 * here and never stored (docs/design/templates.md#output-as-json).
 */
export function outputValue(output: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [name, ...below] = path;
  const text = name === "json" ? jsonText(output) : null;
  if (text !== null) return ownValue(parsed(text), below);
  const inner = name === "outputs" ? 2 : name === "results" && path[2] === "outputs" ? 4 : path.length;
  const found = ownValue(output, path.slice(0, inner));
  return inner < path.length ? outputValue(found, path.slice(inner)) : found;
}

/** The outputs of one answer with `json`, up to a limit for all of them. */
export function outputsShown(): (output: JsonValue | null) => JsonValue | null {
  let left = OUTPUT_JSON_SHOWN_CHARS;
  return (output) => {
    const text = jsonText(output);
    if (text === null || !isJsonObject(output) || text.length > left) return output;
    const json = parsed(text);
    if (json === undefined) return output;
    left -= text.length;
    return { ...output, json };
  };
}

/** The source of `json`; null when the output has a `json` already, or a cut stdout. */
function jsonText(output: JsonValue | undefined): string | null {
  if (!isJsonObject(output) || Object.hasOwn(output, "json") || output["truncated"] === true) return null;
  const { stdout } = output;
  return typeof stdout === "string" ? stdout : null;
}

/** The last long texts that were parsed, oldest first: several templates and every view of an execution use them. */
const KEPT_FROM_CHARS = 1_000;
const kept = new Map<string, JsonValue | undefined>();
let keptChars = 0;

function parsed(text: string): JsonValue | undefined {
  if (kept.has(text)) return kept.get(text);
  const value = parse(text);
  if (text.length < KEPT_FROM_CHARS) return value;
  kept.set(text, value);
  keptChars += text.length;
  for (const oldest of kept.keys()) {
    if (keptChars <= OUTPUT_JSON_KEPT_CHARS) break;
    kept.delete(oldest);
    keptChars -= oldest.length;
  }
  return value;
}

function parse(text: string): JsonValue | undefined {
  if (utf8Bytes(text) > OUTPUT_JSON_MAX_BYTES) return undefined;
  if (jsonExtent(text).depth > OUTPUT_JSON_MAX_DEPTH) return undefined;
  try {
    const value: JsonValue = JSON.parse(text.trim());
    return allFinite(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A number such as 1e999 is parsed as infinite, and cannot be written as JSON again. */
function allFinite(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(allFinite);
}
