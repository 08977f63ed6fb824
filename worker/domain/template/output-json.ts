import { isJsonObject } from "../../../schema/contract/json.ts";
import type { JsonValue } from "../../../schema/contract/json.ts";
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
 * What a path stands for in a node's output. Where `stdout` is one JSON value, the output has it as `json`: worked out
 * here, never stored. So do the outputs in a forEach's results and in a sub-workflow's outputs.
 */
export function outputValue(output: JsonValue | undefined, path: readonly string[]): JsonValue | undefined {
  const [name, ...below] = path;
  const text = name === "json" ? jsonText(output) : null;
  if (text !== null) return ownValue(parsed(text), below);
  const inner = name === "outputs" ? 2 : name === "results" && path[2] === "outputs" ? 4 : path.length;
  const found = ownValue(output, path.slice(0, inner));
  return inner < path.length ? outputValue(found, path.slice(inner)) : found;
}

/** Outputs of one answer as they are shown, with `json`, as long as there is not too much of it for one answer. */
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

/** The text that `json` is made from; null where an output has a `json` already, or a stdout that was cut. */
function jsonText(output: JsonValue | undefined): string | null {
  if (!isJsonObject(output) || Object.hasOwn(output, "json") || output["truncated"] === true) return null;
  const { stdout } = output;
  return typeof stdout === "string" ? stdout : null;
}

/** Long texts that were parsed last, the oldest first: several templates and every look at an execution name the same. */
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

/** A number such as 1e999 is infinite once it is parsed, and cannot be written as JSON again. */
function allFinite(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(allFinite);
}
