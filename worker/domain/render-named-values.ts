import { ACTIONS } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { objectOf } from "../../schema/contract/json-object.ts";
import { encodeSqlValue } from "../../schema/contract/sql-values.ts";
import { utf8Bytes } from "./json-bytes.ts";
import { TemplateFailure } from "./template/failure.ts";
import { loneTemplate } from "./template/parse.ts";
import { renderData } from "./render-data.ts";
import { evaluate } from "./template/filters.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";

export interface NamedValues {
  readonly kind: "env" | "parameters" | null;
  /** By name, as written. */
  readonly members: JsonObject;
}

/** The values that an action's parameters pass outside their code. */
export function namedValuesOf(action: ActionName, params: JsonObject): NamedValues {
  const kind = ACTIONS[action].namedValues ?? null;
  const members = kind === null ? undefined : params[kind];
  return { kind, members: objectOf(members) };
}

/** The features that an agent needs for an action with these parameters. */
export function featuresOf(action: ActionName, params: JsonObject): AgentFeature[] {
  return Object.keys(namedValuesOf(action, params).members).length === 0 ? [] : ["namedValues"];
}

/** Linux allows 128 KiB for `NAME=value` with its final NUL (MAX_ARG_STRLEN); the difference is room for the name. */
const VARIABLE_MAX_BYTES = 128 * 1_024 - 130;
/** Windows' limit for all variables of a process together: `NAME=value` and a NUL each. */
const ENVIRONMENT_MAX_CHARS = 32_767;

/** A value of `env` as text. Throws a `TemplateFailure`: `value_not_representable` or `value_too_large`. */
export function renderVariable(written: JsonValue, resolve: Resolve): string {
  const value = textOf(renderData(written, resolve));
  if (value.includes("\0")) throw notRepresentable("a NUL character, which no environment variable can carry");
  const bytes = utf8Bytes(wellFormed(value));
  if (bytes <= VARIABLE_MAX_BYTES) return value;
  const message = `the value has ${bytes} bytes, and an environment variable holds at most ${VARIABLE_MAX_BYTES}. Pass a part of it, or let the script fetch it.`;
  throw new TemplateFailure("value_too_large", message);
}

/** Throws a `TemplateFailure`, `values_too_large`, for more than a Windows host can give a process. */
export function checkWindowsEnvironment(env: Readonly<Record<string, string>>): void {
  const chars = Object.entries(env).reduce((sum, [name, value]) => sum + name.length + value.length + 2, 0);
  if (chars <= ENVIRONMENT_MAX_CHARS) return;
  const message = `the values have ${chars} characters together, and Windows holds at most ${ENVIRONMENT_MAX_CHARS}. Pass less data, or let the script fetch it.`;
  throw new TemplateFailure("values_too_large", message);
}

/** A value of `parameters` as JSON text; an unresolved one is null. Throws like `renderVariable`. */
export function renderParameter(written: JsonValue, resolve: Resolve): string {
  const template = typeof written === "string" ? loneTemplate(written) : null;
  const value = template === null ? renderData(written, resolve) : (evaluate(template, resolve) ?? null);
  return encodeSqlValue(checkSqlValue(value));
}

/** Throws a `TemplateFailure`, `value_not_representable`, for a value that no database takes. */
export function checkSqlValue(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  if (/(?<!\\)(?:\\\\)*\\u0000/u.test(text)) throw notRepresentable("a NUL character, which no database takes");
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f]/u.test(text))
    throw notRepresentable("half a character (an unpaired surrogate), which is not text");
  return value;
}

function wellFormed(text: string): string {
  if (text.isWellFormed()) return text;
  throw notRepresentable("half a character (an unpaired surrogate), which is not text");
}

function notRepresentable(what: string): TemplateFailure {
  const message = `the value contains ${what}. Remove it where the value comes from.`;
  return new TemplateFailure("value_not_representable", message);
}
