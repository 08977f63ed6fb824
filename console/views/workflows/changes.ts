import type { Definition, Edge, Graph, Node, Trigger } from "../../../schema/contract/workflow.ts";
import { isSameJson } from "./same.ts";
import { graph } from "../../strings/en/graph.ts";
import type { Concurrency } from "../../../schema/contract/concurrency.ts";
import { limits } from "../../strings/en/limits.ts";
import { concurrency } from "../../strings/en/concurrency.ts";
import { publishing } from "../../strings/en/publishing.ts";
import { spelledDuration } from "../../strings/time.ts";
import { nodeLabel, triggerLabel as formLabelOfTrigger } from "../../workflow-forms/field-label.ts";
import { triggerLabel } from "./labels.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";

const text = publishing.changes;

/** The content that a version and a draft share. */
export interface Content {
  trigger: Trigger;
  definition: Definition;
}

export interface Change {
  kind: keyof typeof text.kinds;
  /** The changed part: "Trigger", "Step restart". */
  what: string;
  /** A short description of the change; may be empty. */
  detail: string;
}

/** The differences of `after` from `before`, node by node. Empty when both are the same. */
export function changesBetween(before: Content, after: Content): Change[] {
  return [
    ...triggerChanges(before.trigger, after.trigger),
    ...timeoutChanges(before.definition, after.definition),
    ...concurrencyChanges(before.definition, after.definition),
    ...limitChanges(before.definition, after.definition),
    ...nodeChanges(before.definition, after.definition),
    ...edgeChanges(before.definition, after.definition),
    ...orderChange(before.definition, after.definition),
  ];
}

function triggerChanges(before: Trigger, after: Trigger): Change[] {
  if (isSameJson(before, after)) return [];
  const [from, to] = [triggerLabel(before), triggerLabel(after)];
  if (from !== to) return [{ kind: "changed", what: text.trigger, detail: text.fromTo(from, to) }];
  return [{ kind: "changed", what: text.trigger, detail: changedFields(before, after, formLabelOfTrigger).join(", ") }];
}

function timeoutChanges({ timeoutSeconds: before }: Definition, { timeoutSeconds: after }: Definition): Change[] {
  if (before === after) return [];
  const label = (seconds: number | undefined) => (seconds === undefined ? text.none : spelledDuration(seconds));
  return [{ kind: "changed", what: text.timeLimit, detail: text.fromTo(label(before), label(after)) }];
}

function concurrencyChanges({ concurrency: before }: Definition, { concurrency: after }: Definition): Change[] {
  if (isSameJson(before ?? null, after ?? null)) return [];
  const label = (rule: Concurrency | undefined) =>
    rule === undefined
      ? concurrency.modes.allow
      : [concurrency.modes[rule.mode], rule.key, rule.maxQueued].filter(Boolean).join(", ");
  return [{ kind: "changed", what: concurrency.mode, detail: text.fromTo(label(before), label(after)) }];
}

function limitChanges({ limits: before = [] }: Definition, { limits: after = [] }: Definition): Change[] {
  if (isSameJson(before, after)) return [];
  return [{ kind: "changed", what: limits.fields.title, detail: "" }];
}

function nodeChanges(before: Graph, after: Graph): Change[] {
  const [olds, news] = [nodesOf(before), nodesOf(after)];
  const added = [...news].filter(([id]) => !olds.has(id));
  const removed = [...olds].filter(([id]) => !news.has(id));
  const changed = [...news].flatMap(([id, node]): Change[] => {
    const old = olds.get(id);
    if (old === undefined) return [];
    const fields = changedFields(withoutBody(old), withoutBody(node), (path) => nodeLabel(node, path));
    return fields.length === 0 ? [] : [{ kind: "changed", what: text.step(id), detail: fields.join(", ") }];
  });
  return [
    ...added.map(([id, node]): Change => ({ kind: "added", what: text.step(id), detail: typeLabel(node) })),
    ...removed.map(([id, node]): Change => ({ kind: "removed", what: text.step(id), detail: typeLabel(node) })),
    ...changed,
  ];
}

function edgeChanges(before: Graph, after: Graph): Change[] {
  const [olds, news] = [edgesOf(before), edgesOf(after)];
  const only = (these: Set<string>, those: Set<string>) => [...these].filter((edge) => !those.has(edge));
  return [
    ...only(news, olds).map((edge): Change => ({ kind: "added", what: text.edge, detail: edge })),
    ...only(olds, news).map((edge): Change => ({ kind: "removed", what: text.edge, detail: edge })),
  ];
}

/** The order of nodes and edges in the file does not affect executions, but it is still a difference. */
function orderChange(before: Graph, after: Graph): Change[] {
  const isMoved = (olds: readonly string[], news: readonly string[]) =>
    !isSameJson(olds, news) && isSameJson(olds.toSorted(), news.toSorted());
  const nodes = isMoved([...nodesOf(before).keys()], [...nodesOf(after).keys()]);
  if (!nodes && !isMoved([...edgesOf(before)], [...edgesOf(after)])) return [];
  return [{ kind: "changed", what: text.order, detail: text.orderDetail }];
}

/** Every node by its id. Nodes in forEach bodies have the ids of their forEach nodes as a prefix: `each/restart`. */
function nodesOf({ nodes }: Graph, around = ""): Map<string, Node> {
  const all = new Map<string, Node>();
  for (const node of nodes) {
    all.set(`${around}${node.id}`, node);
    if (node.type !== "forEach") continue;
    for (const [id, inner] of nodesOf(node.body, `${around}${node.id}/`)) all.set(id, inner);
  }
  return all;
}

function edgesOf({ nodes, edges }: Graph, around = ""): Set<string> {
  const label = ({ from, to, on }: Edge) => text.edgeDetail(`${around}${from}`, `${around}${to}`, on);
  const inner = nodes.flatMap((node) =>
    node.type === "forEach" ? [...edgesOf(node.body, `${around}${node.id}/`)] : [],
  );
  return new Set([...edges.map(label), ...inner]);
}

function withoutBody(node: Node): object {
  if (node.type !== "forEach") return node;
  const { body: _, ...rest } = node;
  return rest;
}

/** The fields that differ, as their forms label them. `params` is expanded to its parameters. */
function changedFields(before: object, after: object, labelOf: (path: string) => string, at = ""): string[] {
  const [olds, news] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...olds.keys(), ...news.keys()])].flatMap((name) => {
    const [old, now]: [unknown, unknown] = [olds.get(name), news.get(name)];
    if (isSameJson(old, now)) return [];
    if (name === "params" && isJsonObject(old) && isJsonObject(now)) return changedFields(old, now, labelOf, "params.");
    const short = isShort(old) && isShort(now) && old !== undefined && now !== undefined;
    const label = labelOf(`${at}${name}`);
    return [short ? text.field(label, text.fromTo(shown(name, old), shown(name, now))) : label];
  });
}

function shown(name: string, value: unknown): string {
  return typeof value === "number" && /seconds$/iu.test(name) ? spelledDuration(value) : String(value);
}

function isShort(value: unknown): boolean {
  return (
    typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && /^.{0,40}$/u.test(value))
  );
}

function typeLabel(node: Node): string {
  return node.type === "action" ? node.action : graph.types[node.type];
}
