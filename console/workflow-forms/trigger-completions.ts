import type { ValueType } from "../../schema/contract/action-types.ts";
import type { ConditionGroup } from "../../schema/contract/condition.ts";
import type { JsonObject, JsonValue } from "../../schema/contract/json.ts";
import { isJsonObject, objectOf } from "../../schema/contract/json-object.ts";
import type { WorkflowInput } from "../../schema/contract/management.ts";
import { keysOf } from "../../schema/contract/records.ts";
import { payloadNames } from "../../schema/contract/webhook-trigger.ts";
import type { WebhookTrigger } from "../../schema/contract/webhook-trigger.ts";
import type { Graph } from "../../schema/contract/workflow.ts";
import { referencesOf } from "../../worker/domain/graph/node-references.ts";
import { FAILED_FIELDS } from "../../worker/domain/failed-execution.ts";
import { INCIDENT_FIELDS, tagKey } from "../../worker/domain/incident/fields.ts";
import { completions as text } from "../strings/en/completions.ts";
import { pathText } from "./path-text.ts";
import type { Completion } from "./completion.ts";

const NAMES_MAX = 200;
const DEPTH_MAX = 6;

type Draft = Pick<WorkflowInput, "trigger" | "definition">;

/** The trigger's paths: declared inputs, the members of a sample, and paths that templates already name. */
export function triggerCompletions({ trigger, definition }: Draft, variables: JsonObject): Completion[] {
  switch (trigger.type) {
    case "cron":
      return [{ path: "cron.scheduledAt", type: "text", detail: text.scheduledAt }];
    case "webhook":
      return payloadNames(trigger) === null
        ? variableCompletions("webhook", definition, variables)
        : requestCompletions(trigger, definition, variables);
    case "manual": {
      if (trigger.inputs === undefined) return variableCompletions("inputs", definition, variables);
      return Object.entries(trigger.inputs).flatMap(([name, input]) => [
        {
          path: pathText(["inputs", name]),
          type: INPUT_TYPES[input.type],
          detail: input.description ?? text.input(input.type),
        },
        ...membersOf(["inputs", name], variables[name] ?? input.default, text.fromSample, 1),
      ]);
    }
    case "failure":
      return [
        ...keysOf(FAILED_FIELDS).map((field): Completion => ({
          path: `failed.${field}`,
          type: FAILED_FIELDS[field],
          detail: text.failed[field],
        })),
        ...INCIDENT_FIELDS.map((name): Completion => ({
          path: `failed.incident.${name}`,
          type: "text",
          detail: text.ofIncident(text.incident[name]),
        })),
      ];
    case "incident":
      return [
        ...INCIDENT_FIELDS.map((name): Completion => ({
          path: `incident.${name}`,
          type: "text",
          detail: text.incident[name],
        })),
        ...[...tagsKnown({ trigger, definition }, variables)].map((name): Completion => ({
          path: pathText(["incident", "tags", ...name.split(".")]),
          type: "text",
          detail: text.tag(name),
        })),
        { path: "incident.tags", type: "object", detail: text.tags },
        ...(trigger.coalesce === undefined
          ? []
          : [{ path: "incident.batch", type: "list", detail: text.batch } satisfies Completion]),
      ];
  }
}

/** A path of the trigger for the help of a key. */
export function exampleKey(trigger: WorkflowInput["trigger"]): string {
  switch (trigger.type) {
    case "cron":
      return "cron.scheduledAt";
    case "incident":
      return "incident.service";
    case "failure":
      return "failed.workflow.id";
    case "manual":
      return pathText(["inputs", Object.keys(trigger.inputs ?? {})[0] ?? "service"]);
    case "webhook":
      return payloadNames(trigger) === null ? "webhook.service" : "webhook.body.service";
  }
}

const INPUT_TYPES = { string: "text", number: "number", boolean: "boolean", object: "object", array: "list" } as const;

function variableCompletions(root: "webhook" | "inputs", definition: Graph, variables: JsonObject): Completion[] {
  const named = namedIn(definition)
    .filter(([first, name]) => (first === "webhook" || first === "inputs") && name !== undefined)
    .map(([, ...rest]): Completion => ({
      path: pathText([root, ...rest]),
      type: "any",
      detail: text.used,
    }));
  const all: Completion = { path: root, type: "object", detail: text.triggerData };
  // The later entry of a path wins: a sample's, since it knows the type.
  return [...named, ...membersOf([root], variables, text.fromSample, 0), all].slice(-NAMES_MAX);
}

/** The same for a webhook that gives its whole request: the paths that its trigger allows. */
function requestCompletions(trigger: WebhookTrigger, definition: Graph, variables: JsonObject): Completion[] {
  const { headers = [], query = [] } = trigger;
  const names = (part: string, given: readonly string[]) =>
    given.map((name): Completion => ({ path: pathText(["webhook", part, name]), type: "text", detail: text.request }));
  const { body } = variables;
  const used = variableCompletions("webhook", definition, body === undefined ? {} : { body });
  return [
    ...used.filter(({ path }) => path === "webhook" || path.startsWith("webhook.body.")),
    ...names("headers", headers),
    ...names("query", query),
    { path: "webhook.body", type: body === undefined ? "any" : typeOf(body), detail: text.request },
  ];
}

function membersOf(path: readonly string[], value: JsonValue | undefined, detail: string, depth: number): Completion[] {
  if (typeof value !== "object" || value === null || depth >= DEPTH_MAX) return [];
  // All objects of a list are taken to be like the first.
  if (Array.isArray(value)) return isJsonObject(value[0]) ? membersOf([...path, "0"], value[0], detail, depth + 1) : [];
  return Object.entries(value)
    .slice(0, NAMES_MAX)
    .flatMap(([name, member]) => [
      { path: pathText([...path, name]), type: typeOf(member), detail },
      ...membersOf([...path, name], member, detail, depth + 1),
    ]);
}

function typeOf(value: JsonValue): ValueType {
  if (Array.isArray(value)) return "list";
  switch (typeof value) {
    case "string":
      return "text";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
    default:
      return value === null ? "any" : "object";
  }
}

/** All paths in the definition's templates. */
function namedIn(graph: Graph): (readonly string[])[] {
  return graph.nodes.flatMap((node) => [
    ...referencesOf(node).map(({ template }) => template.path),
    ...(node.type === "forEach" ? namedIn(node.body) : []),
  ]);
}

/** The tags in the sample, the trigger's conditions and templates. */
export function tagsKnown({ trigger, definition }: Draft, variables: JsonObject): Set<string> {
  const { tags } = variables;
  const sampled = Object.keys(objectOf(tags));
  const conditions = trigger.type === "incident" && trigger.conditions !== undefined ? tagsIn(trigger.conditions) : [];
  const named = namedIn(definition).flatMap(([root, field, ...rest]) =>
    root === "incident" && field === "tags" && rest.length > 0 ? [rest.join(".")] : [],
  );
  return new Set([...sampled, ...conditions, ...named]);
}

function tagsIn({ conditions }: ConditionGroup): string[] {
  return conditions.flatMap((member) => {
    if ("conditions" in member) return tagsIn(member);
    const key = tagKey(member.field);
    return key === null ? [] : [key];
  });
}
