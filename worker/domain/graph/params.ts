import type { z } from "zod";
import { ACTIONS, codeLanguage } from "../../../schema/contract/action.ts";
import type { ActionName } from "../../../schema/contract/action.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { steersPrograms } from "../../../schema/contract/variable-name.ts";
import { checkRecipients } from "../notification/recipients.ts";
import { checkJsonBody } from "../render-http-request.ts";
import { hasTemplate, templatesIn } from "../template-texts.ts";
import { loneTemplate, parseTemplate } from "../template/parse.ts";
import type { Steps } from "../steps.ts";
import { ownValue } from "../own-value.ts";
import { checkCodeParam } from "./check-code-param.ts";
import type { Findings } from "./check-code-param.ts";
import { firstErrors } from "../shown-errors.ts";
import { issueErrors, knownKeys, replacementAdvice } from "../issue-messages.ts";

export const NOTHING: Findings = { problems: [], warnings: [] };

/** Checks parameters against the action's contract, where a template may have any value, and each template's place. */
export function checkParams(action: ActionName, params: JsonObject, at: string, steps: Steps): Findings {
  const found = Object.entries(params).map(([name, value]): Findings => {
    if (typeof value === "string" && codeLanguage(action, name, params) !== null) {
      return checkCodeParam(action, name, params, at, steps);
    }
    return { ...NOTHING, problems: checkData(action, name, value, `${at}.${name}`, params, steps) };
  });
  const recipients = checkRecipients(action, params).map(({ path, message }) => ({ path: `${at}.${path}`, message }));
  return {
    problems: [...checkContract(action, params, at), ...found.flatMap(({ problems }) => problems), ...recipients],
    warnings: found.flatMap(({ warnings }) => warnings),
  };
}

function checkContract(action: ActionName, params: JsonObject, at: string): FieldError[] {
  const parsed = ACTIONS[action].params.safeParse(params, { reportInput: true });
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => toProblems(issue, action, params, at));
}

function toProblems(issue: z.core.$ZodIssue, action: ActionName, params: JsonObject, at: string): FieldError[] {
  const path = issue.path.map(String);
  const schema = ACTIONS[action].params;
  if (issue.code === "unrecognized_keys" && path.length === 0) {
    const message = `is not a parameter of ${action}${replacementAdvice(knownKeys(schema))}`;
    return firstErrors(issue.keys, (key) => [{ path: `${at}.${key}`, message }]);
  }
  // Another check reports empty code.
  if (valueAt(params, path) === "" && codeLanguage(action, path[0] ?? "", params) !== null) return [];
  // A template's value is checked when the node runs.
  const isUnknown = issue.code === "unrecognized_keys";
  const isCode = codeLanguage(action, path[0] ?? "", params) !== null;
  const isAlways = issue.code === "custom" && issue.params?.["always"] === true;
  if (!isUnknown && !isAlways && !isCode && path.length > 0 && hasTemplate(valueAt(params, path))) return [];
  return issueErrors(issue, { prefix: [at], schema, input: params });
}

/** The value that an issue is about, or the nearest text around it: a template may become an object or a list. */
function valueAt(params: JsonObject, path: readonly string[]): JsonValue | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const value = ownValue(params, path.slice(0, length));
    if (value !== undefined) return length === path.length || typeof value === "string" ? value : undefined;
  }
  return undefined;
}

function checkData(
  action: ActionName,
  name: string,
  value: JsonValue,
  path: string,
  params: JsonObject,
  steps: Steps,
): FieldError[] {
  const isHttp = action === "http.request" && typeof value === "string";
  const isJson = isHttp && name === "body" && (params["bodyType"] ?? "json") === "json";
  const json = isJson ? checkJsonBody(value, steps) : null;
  return [
    ...templateProblems(value, path, steps),
    ...firstErrors(namesWithTemplates(value, path, steps), (at) => [
      { path: at, message: "a template in a name is not replaced: write the name itself" },
    ]),
    ...(name === ACTIONS[action].namedValues ? checkNamed(value, path, name === "env") : []),
    ...(isHttp && name === "url" ? checkUrl(value, path, steps) : []),
    ...(json === null ? [] : [{ path, message: json }]),
  ];
}

/** Texts in a value that look like templates and are not. */
export function templateProblems(value: JsonValue, path: string, steps: Steps): FieldError[] {
  const problems = templatesIn(value, path, steps).flatMap(({ at, parsed }) =>
    parsed.problems.map((message) => ({ path: at, message })),
  );
  return firstErrors(problems, (problem) => [problem]);
}

/**
 * Names must be written out, and a value must not decide which programs are found or run
 * (docs/design/templates.md#named-values).
 */
function checkNamed(named: JsonValue, path: string, isEnv: boolean): FieldError[] {
  if (typeof named === "string" && hasTemplate(named)) {
    return [{ path, message: "takes no template as a whole: write each name, with a template for its value" }];
  }
  if (typeof named !== "object" || named === null || Array.isArray(named)) {
    // The contract reports a value without a template.
    return hasTemplate(named) ? [{ path, message: "must be an object of names and values" }] : [];
  }
  return Object.entries(named).flatMap(([name, value]) => {
    if (isEnv && typeof value !== "string" && hasTemplate(value)) {
      return [{ path: `${path}.${name}`, message: "must be text: an environment variable holds nothing else" }];
    }
    if (/^bellhop_/iu.test(name)) {
      return [{ path: `${path}.${name}`, message: "begins with bellhop_, which is reserved: choose another name" }];
    }
    if (!steersPrograms(name, true) || !hasTemplate(value)) return [];
    const message =
      "controls how programs are found or run, or belongs to the shell, so it takes no template: write its value, or use another variable";
    return [{ path: `${path}.${name}`, message }];
  });
}

/** In longer text a value is percent-encoded, and no address begins with an encoded one. */
function checkUrl(url: string, path: string, steps: Steps): FieldError[] {
  if (loneTemplate(url) !== null) return [];
  const { segments } = parseTemplate(url, steps);
  const skeleton = segments.map((segment) => (segment.type === "path" ? "\0" : segment.text)).join("");
  // oxlint-disable-next-line no-control-regex
  if (/^[a-z]+:\/\/[^/?#\\]*[A-Za-z0-9-]\0+(?:[:/?#\\]|$)/iu.test(skeleton)) {
    return [
      {
        path,
        message: "a value at the end of the host name would change the host: write / before the template",
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

/** The paths of names that contain a template. */
function namesWithTemplates(value: JsonValue, path: string, steps: Steps): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = `${path}.${name}`;
    const inside = namesWithTemplates(member, at, steps);
    return hasTemplate(name, steps) ? [at, ...inside] : inside;
  });
}
