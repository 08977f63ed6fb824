import { ACTIONS, codeLanguage } from "../../schema/contract/action.ts";
import type { ActionName } from "../../schema/contract/action.ts";
import type { AgentFeature } from "../../schema/contract/agent.ts";
import { jsonObjectSchema } from "../../schema/contract/json.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import type { Failure } from "../../schema/contract/problem.ts";
import { hasRecipients, renderRecipients } from "./notification/recipients.ts";
import { renderHttpRequest } from "./render-http-request.ts";
import type { RenderedParams } from "./render-http-request.ts";
import {
  checkWindowsEnvironment,
  featuresOf,
  namedValuesOf,
  renderParameter,
  renderVariable,
} from "./render-named-values.ts";
import { renderCode } from "./render-code.ts";
import { TemplateFailure } from "./template/failure.ts";
import { loneTemplate } from "./template/parse.ts";
import { renderData } from "./render-data.ts";
import { renderSql } from "./render-sql.ts";
import { ownValue } from "./own-value.ts";
import { textOf } from "./template/value.ts";
import type { Resolve } from "./template/value.ts";
import { issueErrors } from "./issue-messages.ts";

/** An action's parameters for a job, in the shape of their contract. */
export type ActionInput =
  | {
      readonly ok: true;
      readonly params: JsonObject;
      /** Values that are passed outside the code, by name, and the written text of each. */
      readonly values: Readonly<Record<string, string>>;
      readonly written: Readonly<Record<string, string>>;
      /** Features that the agent must have. */
      readonly features: AgentFeature[];
    }
  | { readonly ok: false; readonly failure: Failure };

const SHOWN_PROBLEMS = 10;

/**
 * Renders the parameters of an action: data as data, plain words into code, and named values outside it. Fails with
 * `invalid_params`, which names every problem, or with the code of a `TemplateFailure`.
 */
export function renderParams(action: ActionName, params: JsonObject, resolve: Resolve): ActionInput {
  let at = "";
  try {
    const named = namedValuesOf(action, params);
    const data: [string, JsonValue][] = [];
    const code: Record<string, string> = {};
    const values: Record<string, string> = {};
    const written: Record<string, string> = {};
    const names = new Set(Object.keys(named.members));
    for (const [name, value] of Object.entries(params)) {
      at = name;
      const language = codeLanguage(action, name, params);
      if (name === named.kind) {
        for (const [member, text] of Object.entries(named.members)) {
          at = `${name}.${member}`;
          values[member] = name === "env" ? renderVariable(text, resolve) : renderParameter(text, resolve);
          written[member] = typeof text === "string" ? text : JSON.stringify(text);
        }
        at = name;
        if (ACTIONS[action].connectionType === "winrm") checkWindowsEnvironment(values);
      } else if (language === null || typeof value !== "string") data.push([name, value]);
      else if (language === "sql") {
        const sql = renderSql(value, resolve, names);
        code[name] = sql.query;
        Object.assign(values, sql.values);
        Object.assign(written, sql.templates);
      } else code[name] = renderCode(language, value, resolve, names);
    }
    const rendered = renderDataOf(action, Object.fromEntries(data), resolve, (name) => {
      at = name;
    });
    if (!rendered.ok) return invalid([{ path: rendered.path, message: rendered.message }]);
    const checked = checkContract(action, params, { ...rendered.params, ...code });
    if (!checked.ok) return checked;
    return { ok: true, params: checked.params, values, written, features: featuresOf(action, params) };
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    const { code, message } = error.failure;
    return {
      ok: false,
      failure: { code, message: `${at === "" ? "" : `${at}: `}${message} Nothing was sent to an agent.` },
    };
  }
}

function renderDataOf(
  action: ActionName,
  data: JsonObject,
  resolve: Resolve,
  begin: (name: string) => void,
): RenderedParams {
  begin("");
  if (action === "http.request") return renderHttpRequest(data, resolve);
  if (hasRecipients(action)) return renderRecipients(action, data, resolve);
  const entries = Object.entries(data).map(([name, value]): [string, JsonValue] => {
    begin(name);
    return [name, renderData(value, resolve)];
  });
  return { ok: true, params: Object.fromEntries(entries) };
}

/**
 * A lone template keeps its value's type, and callers send numbers where the contract wants text: a value that is
 * refused with its type is tried again as text.
 */
function checkContract(action: ActionName, written: JsonObject, rendered: JsonObject) {
  const schema = ACTIONS[action].params;
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

/** The place of a lone template, at the path or above it. */
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
  const message = `The parameters do not fit the action. ${[...shown, ...more].join("; ")}.`;
  return { ok: false, failure: { code: "invalid_params", message: message.slice(0, 16_384) } };
}
