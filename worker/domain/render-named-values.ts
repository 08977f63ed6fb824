import { actionContract } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
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
  /** As written, by name. */
  readonly members: JsonObject;
}

/** What an action's parameters pass beside their code. */
export function namedValuesOf(action: ActionName, params: JsonObject): NamedValues {
  const kind = actionContract(action).namedValues ?? null;
  const members = kind === null ? undefined : params[kind];
  return { kind, members: typeof members === "object" && members !== null && !Array.isArray(members) ? members : {} };
}

/** Linux takes 128 KiB for `NAME=value` with its final NUL (MAX_ARG_STRLEN); the rest is room for the name. */
const VARIABLE_MAX_BYTES = 128 * 1_024 - 130;
/** Windows, for all variables of a process together: `NAME=value` and a NUL each. */
const ENVIRONMENT_MAX_CHARS = 32_767;

/**
 * The values of `env`, as texts. Throws a `TemplateFailure`: `value_not_representable` for a NUL or half a character,
 * `value_too_large`, and `values_too_large` where the target is a Windows host.
 */
export function renderEnvironment(env: JsonObject, resolve: Resolve, isWindows: boolean): Record<string, string> {
  let chars = 0;
  const values = Object.entries(env).map(([name, written]): [string, string] => {
    const value = textOf(renderData(written, resolve));
    if (value.includes("\0"))
      throw notRepresentable(`env.${name}`, "a NUL character, which no environment variable can carry");
    checkWhole(`env.${name}`, value);
    const bytes = utf8Bytes(value);
    if (bytes > VARIABLE_MAX_BYTES) {
      const message = `env.${name}: the value has ${bytes} bytes, and an environment variable holds at most ${VARIABLE_MAX_BYTES}. Pass a part of it, or let the script fetch it.`;
      throw new TemplateFailure("value_too_large", message);
    }
    chars += name.length + value.length + 2;
    return [name, value];
  });
  if (isWindows && chars > ENVIRONMENT_MAX_CHARS) {
    const message = `env: the values have ${chars} characters together, and Windows holds at most ${ENVIRONMENT_MAX_CHARS}. Pass less, or let the script fetch it.`;
    throw new TemplateFailure("values_too_large", message);
  }
  return Object.fromEntries(values);
}

/** The values of `parameters` as JSON text; what does not resolve is null. Throws as `renderEnvironment` does. */
export function renderParameters(parameters: JsonObject, resolve: Resolve): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, written]) => {
      const value = parameterOf(written, resolve);
      checkWhole(`parameters.${name}`, textOf(value));
      return [name, encodeSqlValue(value)];
    }),
  );
}

function parameterOf(written: JsonValue, resolve: Resolve): JsonValue {
  const template = typeof written === "string" ? loneTemplate(written) : null;
  return template === null ? renderData(written, resolve) : (evaluate(template, resolve) ?? null);
}

function checkWhole(at: string, text: string): void {
  if (!text.isWellFormed()) throw notRepresentable(at, "half a character, which is no text");
}

function notRepresentable(at: string, what: string): TemplateFailure {
  return new TemplateFailure(
    "value_not_representable",
    `${at}: the value contains ${what}. Remove it where the value comes from.`,
  );
}
