import { actionContract, codeLanguage } from "../../schema/contract/action.ts";
import type { ActionName, CodeLanguage } from "../../schema/contract/action.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { hasRecipients, renderRecipients } from "./notification/recipients.ts";
import { renderCode } from "./template/code.ts";
import { renderHttpRequest } from "./template/http-request.ts";
import type { RenderedParams } from "./template/http-request.ts";
import { loneTemplate } from "./template/parse.ts";
import { renderData } from "./template/render-data.ts";
import { ownValue, textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";
import { issueErrors } from "./words-for-issues.ts";

/** An action's parameters ready for a job, in the form of their contract; `values` travel beside the code. */
export type ActionInput =
  | { readonly ok: true; readonly params: JsonObject; readonly values: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly failure: Failure };

const SHOWN_PROBLEMS = 10;

/**
 * Renders the parameters of an action, data as data and code as code, and checks them against the contract. Fails with
 * `invalid_params`, which names every problem, or as `renderCode` does.
 */
export function renderParams(action: ActionName, params: JsonObject, resolve: Resolve): ActionInput {
  const data: [string, JsonValue][] = [];
  const code: Record<string, string> = {};
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) {
    const language = languageOfParam(action, name, params);
    if (language === null || typeof value !== "string") {
      data.push([name, value]);
      continue;
    }
    const rendered = renderCode(language, value, resolve);
    if (!rendered.ok)
      return { ok: false, failure: { ...rendered.failure, message: `${name}: ${rendered.failure.message}` } };
    code[name] = rendered.text;
    Object.assign(values, rendered.values);
  }
  const rendered = renderDataOf(action, Object.fromEntries(data), resolve);
  if (!rendered.ok) return invalid([{ path: rendered.path, message: rendered.message }]);
  const checked = checkContract(action, params, { ...rendered.params, ...code });
  return checked.ok ? { ok: true, params: checked.params, values } : checked;
}

/** The language of a code parameter, or null for data. zsh and ksh evaluate values in more places than bash does. */
export function languageOfParam(action: ActionName, name: string, params: JsonObject): CodeLanguage | "unknown" | null {
  const language = Object.hasOwn(actionContract(action).code, name) ? codeLanguage(action, name, params) : null;
  const { interpreter } = params;
  return language === "bash" && typeof interpreter === "string" && /(?:^|\/)(?:zsh|ksh)$/u.test(interpreter)
    ? "unknown"
    : language;
}

function renderDataOf(action: ActionName, data: JsonObject, resolve: Resolve): RenderedParams {
  if (action === "http.request") return renderHttpRequest(data, resolve);
  if (hasRecipients(action)) return renderRecipients(action, data, resolve);
  const entries = Object.entries(data).map(([name, value]): [string, JsonValue] => [name, renderData(value, resolve)]);
  return { ok: true, params: Object.fromEntries(entries) };
}

/**
 * A template alone keeps its value's type, and where the contract wants text, callers still send numbers: what is
 * refused with its type is tried once more as text.
 */
function checkContract(action: ActionName, written: JsonObject, rendered: JsonObject) {
  const schema = actionContract(action).params;
  const first = schema.safeParse(rendered, { reportInput: true });
  if (first.success) return { ok: true, params: jsonObjectSchema.parse(first.data) } as const;
  let asText: JsonObject = rendered;
  for (const issue of first.error.issues) {
    const at = lonePath(written, issue.path.map(String));
    if (at !== null) asText = withText(asText, at);
  }
  const second = asText === rendered ? first : schema.safeParse(asText, { reportInput: true });
  if (second.success) return { ok: true, params: jsonObjectSchema.parse(second.data) } as const;
  return invalid(second.error.issues.flatMap((issue) => issueErrors(issue, { schema, input: asText })));
}

/** The place, at the path or above it, where a template alone was written. */
function lonePath(written: JsonObject, path: readonly string[]): readonly string[] | null {
  for (let length = 1; length <= path.length; length += 1) {
    const at = path.slice(0, length);
    const value = ownValue(written, at);
    if (typeof value === "string") return loneTemplate(value) === null ? null : at;
  }
  return null;
}

function withText(params: JsonObject, path: readonly string[]): JsonObject {
  const replace = (value: JsonValue | undefined, [part, ...rest]: readonly string[]): JsonValue => {
    if (part === undefined) return textOf(value);
    if (Array.isArray(value))
      return value.map((member, index) => (String(index) === part ? replace(member, rest) : member));
    return typeof value === "object" && value !== null
      ? { ...value, [part]: replace(value[part], rest) }
      : textOf(value);
  };
  const [name, ...rest] = path;
  return name === undefined ? params : { ...params, [name]: replace(params[name], rest) };
}

function invalid(problems: readonly { path: string; message: string }[]): { ok: false; failure: Failure } {
  const shown = problems
    .slice(0, SHOWN_PROBLEMS)
    .map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const more = problems.length > SHOWN_PROBLEMS ? [`and ${problems.length - SHOWN_PROBLEMS} more`] : [];
  const message = `The parameters are not what the action takes. ${[...shown, ...more].join("; ")}.`;
  return { ok: false, failure: { code: "invalid_params", message: message.slice(0, 16_384) } };
}
