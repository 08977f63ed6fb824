import type { z } from "zod";
import { actionContract } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { steersPrograms } from "../../../schema/contract/variable-name.ts";
import { checkRecipients } from "../notification/recipients.ts";
import { languageOfParam } from "../render-params.ts";
import { checkCode } from "../template/code.ts";
import { checkJsonBody } from "../template/http-request.ts";
import { hasTemplate, loneTemplate, parseTemplate, templatesIn } from "../template/parse.ts";
import { ownValue } from "../template/value.ts";
import { firstErrors } from "../shown-errors.ts";
import { issueErrors, knownKeys, whatThereIs } from "../words-for-issues.ts";

/** Parameters against the action's contract, a template standing for any value; and every template in its place. */
export function checkParams(action: ActionName, params: JsonObject, at: string): FieldError[] {
  const problems = checkContract(action, params, at);
  for (const [name, value] of Object.entries(params)) {
    const path = `${at}.${name}`;
    const language = languageOfParam(action, name, params);
    if (language === null || typeof value !== "string") problems.push(...checkData(action, name, value, path, params));
    else if (value.trim() === "") problems.push({ path, message: "is empty: write the code that shall run" });
    else problems.push(...firstErrors(checkCode(language, value), (message) => [{ path, message }]));
  }
  problems.push(...checkRecipients(action, params).map(({ path, message }) => ({ path: `${at}.${path}`, message })));
  return problems;
}

function checkContract(action: ActionName, params: JsonObject, at: string): FieldError[] {
  const parsed = actionContract(action).params.safeParse(params, { reportInput: true });
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => toProblems(issue, action, params, at));
}

function toProblems(issue: z.core.$ZodIssue, action: ActionName, params: JsonObject, at: string): FieldError[] {
  const path = issue.path.map(String);
  const schema = actionContract(action).params;
  if (issue.code === "unrecognized_keys" && path.length === 0) {
    const message = `is not a parameter of ${action}${whatThereIs(knownKeys(schema))}`;
    return firstErrors(issue.keys, (key) => [{ path: `${at}.${key}`, message }]);
  }
  // Empty code has its own words.
  if (valueAt(params, path) === "" && languageOfParam(action, path[0] ?? "", params) !== null) return [];
  // What a template gives is known when the node runs, and checked then.
  const isUnknown = issue.code === "unrecognized_keys";
  if (!isUnknown && path.length > 0 && hasTemplate(valueAt(params, path))) return [];
  return issueErrors(issue, { prefix: [at], schema, input: params });
}

/** The value that an issue is about, or the nearest one around it: a template may stand for an object or a list. */
function valueAt(params: JsonObject, path: readonly string[]): JsonValue | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const value = ownValue(params, path.slice(0, length));
    if (value !== undefined) return length === path.length || typeof value === "string" ? value : undefined;
  }
  return undefined;
}

function checkData(action: ActionName, name: string, value: JsonValue, path: string, params: JsonObject): FieldError[] {
  const malformed = templatesIn(value).flatMap(({ at, parsed }) =>
    parsed.problems.map((message) => ({ path: at === "" ? path : `${path}.${at}`, message })),
  );
  const problems = firstErrors(malformed, (error) => [error]);
  problems.push(...checkNames(value, path));
  if (name === "env") problems.push(...checkEnvironment(value, path));
  if (action === "http.request" && name === "url" && typeof value === "string") problems.push(...checkUrl(value, path));
  if (
    action === "http.request" &&
    name === "body" &&
    typeof value === "string" &&
    (params["bodyType"] ?? "json") === "json"
  ) {
    const message = checkJsonBody(value);
    if (message !== null) problems.push({ path, message });
  }
  return problems;
}

/** A value that decided what is found, loaded or run would be code (design 5). */
function checkEnvironment(env: JsonValue, path: string): FieldError[] {
  if (typeof env !== "object" || env === null || Array.isArray(env)) return [];
  return Object.entries(env)
    .filter(([name, value]) => steersPrograms(name, true) && hasTemplate(value))
    .map(([name]) => ({
      path: `${path}.${name}`,
      message: "decides what programs find or run, so it takes no template: write its value, or use another variable",
    }));
}

/** In longer text a value is percent-encoded, and no address begins with an encoded one. */
function checkUrl(url: string, path: string): FieldError[] {
  if (loneTemplate(url) !== null) return [];
  const { segments } = parseTemplate(url);
  const skeleton = segments.map((segment) => (segment.type === "path" ? "\0" : segment.text)).join("");
  // oxlint-disable-next-line no-control-regex
  if (/^[a-z]+:\/\/[^/?#\\]*[A-Za-z0-9-]\0+(?:[:/?#\\]|$)/iu.test(skeleton)) {
    return [
      {
        path,
        message: "a value at the end of the host's name would lead to another host: write / before the template",
      },
    ];
  }
  if (segments[0]?.type !== "path") return [];
  return [
    {
      path,
      message:
        "an address cannot begin with a template: use path, below the connection's baseUrl, or one template as the whole url",
    },
  ];
}

function checkNames(value: JsonValue, path: string): FieldError[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(hasTemplate(name)
      ? [{ path: `${path}.${name}`, message: "a template in a name is not replaced: write the name itself" }]
      : []),
    ...checkNames(member, `${path}.${name}`),
  ]);
}
