import { ACTIONS } from "../../schema/contract/action.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import type { PlacedGraph } from "../../worker/domain/graph/walk.ts";
import type { Completion, ValueType } from "./completion.ts";

/** What the nodes of a graph and of those around it give, whether or not it can be there already. */
export function nodeCompletions(placed: PlacedGraph, nodeId: string): Completion[] {
  const found: Completion[] = [];
  for (let at: PlacedGraph | null = placed; at !== null; at = at.parent?.placed ?? null) {
    for (const node of at.graph.nodes) if (node.id !== nodeId) found.push(...completionsOf(node));
  }
  return found;
}

/** What a node gives, as the nodes behind it may name it. */
export function completionsOf(node: Node): Completion[] {
  const called = node.name === undefined || node.name === "" ? node.id : node.name;
  const outputs = outputsOf(node).map(([name, type, detail]): Completion => ({
    path: `nodes.${node.id}.output.${name}`,
    type,
    detail: `${detail}, from ${called}`,
  }));
  const all: Completion[] =
    outputs.length === 0
      ? []
      : [{ path: `nodes.${node.id}.output`, type: "object", detail: `all that ${called} gave` }];
  const exit: Completion[] = outputs.some(({ path }) => path.endsWith(".output.exitCode"))
    ? [{ path: `nodes.${node.id}.exitCode`, type: "number", detail: `the exit code of ${called}` }]
    : [];
  return [
    ...outputs,
    ...exit,
    { path: `nodes.${node.id}.status`, type: "text", detail: `how ${called} ended: succeeded, failed, skipped …` },
    ...all,
  ];
}

type Output = readonly [name: string, type: ValueType, detail: string];

function outputsOf(node: Node): readonly Output[] {
  switch (node.type) {
    case "action":
      return ACTIONS[node.action].output.map((name): Output => [name, ...describe(name)]);
    case "forEach":
      return FOR_EACH;
    case "approval":
      return APPROVAL;
    case "workflow":
      return WORKFLOW;
    case "errorHandler":
      return HANDLER;
    case "condition":
    case "delay":
      return [];
  }
}

function describe(name: string): readonly [ValueType, string] {
  return Object.hasOwn(OUTPUTS, name) ? (OUTPUTS[name] ?? ["any", name]) : ["any", name];
}

/** The names of actions' outputs (schema/contract/actions). */
const OUTPUTS: Readonly<Record<string, readonly [ValueType, string]>> = {
  stdout: ["text", "what it printed"],
  stderr: ["text", "what it printed as errors"],
  exitCode: ["number", "the exit code"],
  truncated: ["boolean", "whether the output was cut"],
  json: ["any", "what it printed, where that is one JSON value"],
  statusCode: ["number", "the status of the answer"],
  body: ["any", "the body of the answer"],
  bodyEncoding: ["text", "how the body is written down"],
  headers: ["object", "the headers of the answer"],
  url: ["text", "the address that answered"],
  ts: ["text", "the message's own number"],
  channel: ["text", "where it was sent"],
  rows: ["list", "the rows"],
  columns: ["list", "the columns' names"],
  rowCount: ["number", "how many rows"],
  messageId: ["text", "the message's id"],
  accepted: ["list", "who it was accepted for"],
  rejected: ["list", "who it was refused for"],
  response: ["text", "the mail server's answer"],
  to: ["any", "the recipients"],
  attempts: ["list", "the tries"],
  durationMs: ["number", "how long it took, in milliseconds"],
  service: ["text", "the service's name"],
  activeState: ["text", "the service's state afterwards"],
  subState: ["text", "the service's state in detail"],
  result: ["text", "the service's last result"],
  journal: ["text", "the service's last log lines"],
  dependents: ["list", "the services that depend on it"],
  delaySeconds: ["number", "how long it waits before the restart"],
  issueKey: ["text", "the issue's key"],
  issueUrl: ["text", "the issue's address"],
  changed: ["boolean", "whether anything changed"],
};

const FOR_EACH: readonly Output[] = [
  ["results", "list", "what each item gave, in order"],
  ["total", "number", "how many items there were"],
  ["succeeded", "number", "how many went well"],
  ["failed", "number", "how many failed"],
  ["notStarted", "number", "how many were not begun"],
];
const APPROVAL: readonly Output[] = [
  ["decision", "text", "approved, rejected or expired"],
  ["by", "text", "who answered"],
  ["comment", "text", "what was said with it"],
  ["at", "text", "when it was answered"],
  ["message", "text", "what was asked"],
];
const WORKFLOW: readonly Output[] = [
  ["outputs", "object", "what its last nodes gave, by node id"],
  ["status", "text", "how it ended"],
  ["executionId", "text", "the execution's id"],
];
const HANDLER: readonly Output[] = [
  ["message", "text", "what went wrong, in words"],
  ["code", "text", "what went wrong, as a stable code"],
  ["nodeId", "text", "the node that failed"],
  ["actionType", "text", "the action of the node that failed"],
  ["status", "text", "how the failed node ended"],
  ["exitCode", "number", "the failed node's exit code"],
  ["statusCode", "number", "the failed node's HTTP status"],
];
