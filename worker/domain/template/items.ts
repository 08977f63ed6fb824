import type { JsonValue } from "../../../schema/contract/json.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import { FOREACH_MAX_ITERATIONS } from "../../../schema/limits.ts";
import { TemplateFailure } from "./failure.ts";
import { renderData } from "../render-data.ts";
import type { Resolve } from "./value.ts";

export type Items = { ok: true; list: readonly JsonValue[] } | { ok: false; failure: Failure };

/** The list of a forEach: its template's value, or a text with a JSON list, such as a script's output. */
export function renderItems(template: string, resolve: Resolve): Items {
  try {
    return toItems(template, renderData(template, resolve));
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return { ok: false, failure: error.failure };
  }
}

function toItems(template: string, value: JsonValue): Items {
  const list = Array.isArray(value) ? value : typeof value === "string" ? parseList(value) : null;
  if (list === null) {
    return refused(
      "items_not_a_list",
      `${template} is ${typeLabel(value)}, and a forEach needs a list, or a text that is a JSON list. Check its source.`,
    );
  }
  if (list.length > FOREACH_MAX_ITERATIONS) {
    return refused(
      "too_many_iterations",
      `${template} has ${list.length} items, and a forEach takes at most ${FOREACH_MAX_ITERATIONS}. Filter them, or pass them in groups.`,
    );
  }
  return { ok: true, list };
}

function parseList(text: string): readonly JsonValue[] | null {
  if (!text.trimStart().startsWith("[")) return null;
  try {
    const value: JsonValue = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function typeLabel(value: JsonValue): string {
  if (value === "") return "empty";
  if (value === null) return "null";
  if (typeof value === "string") return "a text";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function refused(code: string, message: string): Items {
  return { ok: false, failure: { code, message } };
}
