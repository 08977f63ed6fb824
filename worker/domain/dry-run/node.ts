import { effectOf } from "../../../schema/contract/action.ts";
import type { Condition, ConditionGroup } from "../../../schema/contract/condition.ts";
import type { NodePreview } from "../../../schema/contract/dry-run.ts";
import type { JsonObject, JsonValue } from "../../../schema/contract/json.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { ActionNode, ForEachNode, Node } from "../../../schema/contract/workflow.ts";
import { RENDERED_JOB_MAX_BYTES } from "../../../schema/limits.ts";
import { evaluateConditions } from "../condition.ts";
import { spendOnConditions, spendOnValue } from "./cost.ts";
import { DRY_VIEW } from "./scope.ts";
import type { DryScope } from "./scope.ts";
import { referencesOf } from "../graph/node-references.ts";
import { outsideCheck } from "../outside-check.ts";
import { jsonBytes } from "../json-bytes.ts";
import { renderParams } from "../render-params.ts";
import { renderTarget } from "../render-target.ts";
import type { PlacedConnection } from "../render-target.ts";
import { renderItems } from "../template/items.ts";
import { whyEmpty } from "../template/why-empty.ts";
import { TemplateFailure } from "../template/failure.ts";
import { evaluate } from "../template/filters.ts";
import { templatesIn } from "../template-texts.ts";
import { fieldTemplate, templatesOf } from "../template/parse.ts";
import type { Template } from "../template/parse.ts";
import { renderData, renderText } from "../render-data.ts";
import type { Steps } from "../steps.ts";
import { resolvePath, valuesOf } from "../template/resolve-path.ts";
import type { Look, Lookup } from "../template/resolve-path.ts";
import type { Resolve } from "../template/value.ts";

/** Failures that an unknown value may cause. */
const OF_VALUES = new Set(["invalid_params", "target_not_allowed", "empty_value", "invalid_value", "unsafe_value"]);

const NO_TARGET = { ok: true, target: null, shown: null } as const;
const SO_FAR: Lookup = { known: false, reason: "the numbers of a check are known between two batches only" };

/** A node's behaviour; the walk adds its position and whether it is reached. */
export type NodeContent = Pick<NodePreview, "templates" | "unresolved" | "error"> &
  Partial<Pick<NodePreview, "action" | "condition" | "forEach" | "delay" | "approval" | "workflow">>;

/** The part of a node's connection that a preview needs. */
export interface DryConnection extends PlacedConnection {
  /** The problem of an action with its rendered parameters and target; null without one. */
  problemWith(node: ActionNode, params: JsonObject, target: string | null): string | null;
}

/** Null for a connection that does not exist. */
export type ConnectionOf = (connectionId: string) => DryConnection | null;

/** A template of the node, its position, and its value if that is known. */
interface Found {
  readonly at: string;
  readonly template: Template;
  readonly inCheck: boolean;
  readonly lookup: Lookup;
  readonly value: JsonValue | null;
}

/** Renders one node with the known values. `items` are a forEach's, null when they are unknown. Throws `TooComplex`. */
export function previewNode(
  scope: DryScope,
  node: Node,
  steps: Steps,
  connectionOf: ConnectionOf = () => null,
): { content: NodeContent; items: readonly JsonValue[] | null } {
  const look: Look = (path) => resolvePath(DRY_VIEW, scope, node.id, path);
  const found = referencesOf(node, steps).map(({ at, template, inCheck = false }): Found => {
    const outer = inCheck ? outsideCheck(template.path) : template.path;
    const lookup = outer === null ? SO_FAR : look(outer);
    if (lookup.known) spendOnValue(steps, lookup.value, 1 + template.filters.length);
    return { at, template, inCheck, lookup, value: lookup.known ? valueBehind(template, lookup.value) : null };
  });
  const base: NodeContent = {
    templates: found.map(({ at, template, value }) => ({ at, template: template.source, value })),
    unresolved: unresolvedOf(found, valuesOf(look)),
    error: null,
  };
  // A check comes after the first batch, so it does not keep the list from being known.
  const isKnown = found.every(({ lookup, inCheck }) => lookup.known || inCheck);
  if (node.type === "condition") {
    spendOnConditions(steps, node.when, ({ field }) => valuesOf(look)(fieldTemplate(field)?.path ?? []));
  }
  try {
    return preview(node, base, look, isKnown, connectionOf);
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return plain({ ...base, error: isKnown ? error.failure : null });
  }
}

function preview(
  node: Node,
  base: NodeContent,
  look: Look,
  isKnown: boolean,
  connectionOf: ConnectionOf,
): { content: NodeContent; items: readonly JsonValue[] | null } {
  switch (node.type) {
    case "action":
      return plain({ ...base, ...previewAction(node, look, isKnown, connectionOf) });
    case "condition":
      return plain({ ...base, condition: { holds: holds(node.when, look) } });
    case "forEach":
      return previewForEach(node, base, look, isKnown);
    case "delay":
      return plain({ ...base, delay: { seconds: node.seconds } });
    case "approval":
      return plain({ ...base, approval: { message: renderText(node.message, valuesOf(look)) } });
    case "workflow":
      return plain({
        ...base,
        workflow: {
          workflowId: node.workflowId,
          name: null,
          published: false,
          variables: renderObject(node.variables ?? {}, look),
        },
      });
    case "errorHandler":
      return plain(base);
  }
}

function plain(content: NodeContent) {
  return { content, items: null };
}

/** A template's value after its filters; null without a value, or when a filter refuses it. */
function valueBehind(template: Template, value: JsonValue | undefined): JsonValue {
  try {
    return evaluate(template, () => value) ?? null;
  } catch (error) {
    if (!(error instanceof TemplateFailure)) throw error;
    return null;
  }
}

function unresolvedOf(found: readonly Found[], resolve: Resolve): NodePreview["unresolved"] {
  const bySource = new Map(found.map((one) => [one.template.source, one]));
  return [...bySource].flatMap(([source, { template, lookup, value }]): NodePreview["unresolved"] => {
    if (!lookup.known) return [{ template: source, known: false, reason: lookup.reason }];
    if (lookup.value !== undefined || value !== null) return [];
    const reason = whyEmpty(template.path, resolve) ?? "has no value in this sample data, so it becomes an empty value";
    return [{ template: source, known: true, reason }];
  });
}

function previewAction(
  node: ActionNode,
  look: Look,
  isKnown: boolean,
  connectionOf: ConnectionOf,
): Pick<NodeContent, "action" | "error"> {
  const failed = (failure: Failure): ReturnType<typeof previewAction> => ({
    // A failure that may come from an unknown value says nothing.
    error: !isKnown && OF_VALUES.has(failure.code) ? null : failure,
    action: { name: node.action, effect: null, target: null, params: null, values: [], runsOn: null },
  });
  const connection = connectionOf(node.connectionId ?? "");
  const rendered = connection === null ? NO_TARGET : renderTarget(node, connection, valuesOf(look));
  if (!rendered.ok) return failed(rendered.failure);
  const input = renderParams(node.action, node.params, valuesOf(look));
  if (!input.ok) return failed(input.failure);
  const { params, values, written } = input;
  const { target } = rendered;
  const bytes = jsonBytes(params) + jsonBytes(values);
  const refused = isKnown ? (connection?.problemWith(node, params, target) ?? null) : null;
  const refusal = refused === null ? null : { code: "invalid_params", message: refused };
  return {
    error: bytes > RENDERED_JOB_MAX_BYTES ? tooLarge(bytes) : refusal,
    action: {
      name: node.action,
      effect: effectOf(node.action, params),
      target,
      params,
      values: Object.entries(values).map(([name, value]) => ({ name, template: written[name] ?? null, value })),
      runsOn: null,
    },
  };
}

function tooLarge(bytes: number): Failure {
  return {
    code: "job_too_large",
    message: `With its values filled in, the job has ${bytes} bytes, and a job holds at most ${RENDERED_JOB_MAX_BYTES}. Pass less data.`,
  };
}

function previewForEach(node: ForEachNode, base: NodeContent, look: Look, isKnown: boolean) {
  const unknown = { checked: 0, problems: [], count: null, first: null };
  if (!isKnown) return { content: { ...base, forEach: unknown }, items: null };
  const items = renderItems(node.items, valuesOf(look));
  if (!items.ok) return { content: { ...base, error: items.failure, forEach: unknown }, items: null };
  const { list } = items;
  const forEach = { ...unknown, count: list.length, first: list[0] ?? null };
  return { content: { ...base, forEach }, items: list };
}

function renderObject(object: JsonObject, look: Look): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, renderData(value, valuesOf(look))]));
}

/** In three-valued logic: an unknown member makes the group unknown, unless the others decide. */
function holds({ logic, conditions }: ConditionGroup, look: Look): boolean | null {
  const members = new Set(
    conditions.map((member) => ("conditions" in member ? holds(member, look) : holdsOne(member, look))),
  );
  const deciding = logic === "any";
  if (members.has(deciding)) return deciding;
  return members.has(null) ? null : !deciding;
}

function holdsOne(condition: Condition, look: Look): boolean | null {
  const field = fieldTemplate(condition.field);
  const paths = templatesIn(condition.value).flatMap(({ parsed }) => templatesOf(parsed).map(({ path }) => path));
  const isKnown = [...(field === null ? [] : [field.path]), ...paths].every((path) => look(path).known);
  return isKnown ? evaluateConditions({ logic: "all", conditions: [condition] }, valuesOf(look)) : null;
}
