import { canonicalJson } from "../../../schema/contract/json.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { hostIn } from "../../../schema/contract/target-list.ts";
import type { ApprovalNode, Definition, Graph, Node } from "../../../schema/contract/workflow.ts";
import { spelt } from "../render-target.ts";
import { forEachChains } from "./for-each-chains.ts";
import { indexOf } from "./graph-index.ts";
import { connectionsNamedBy, graphsOf } from "./walk.ts";

interface PlacedNode {
  readonly node: Node;
  readonly path: string;
}

/**
 * The ways in which a definition needs less approval than the one before it, each with its path: an approval is gone or
 * admits more people, its rejection no longer ends the forEach around it, or work that could run only after it can run
 * without it. Work is recognised by its node's id, by the connections and workflows that it uses, and by its action and
 * parameters, so a new id does not hide it. On a connection to several hosts it is recognised by the host. Rewritten
 * work on a connection or host that others use without the approval is not recognised.
 */
export function weakenedApprovals(before: Definition, after: Definition): FieldError[] {
  const now = new Map(placedNodes(after).map((placed) => [placed.node.id, placed]));
  return placedNodes(before).flatMap(({ node: former }): FieldError[] => {
    if (former.type !== "approval") return [];
    const placed = now.get(former.id);
    if (placed?.node.type !== "approval") return [{ path: "nodes", message: `the approval ${former.id} is gone` }];
    return [
      ...widened(former, placed.node, placed.path),
      ...unguarded(before, after, former.id),
      ...tolerated(before, after, former.id),
    ];
  });
}

function widened(former: ApprovalNode, node: ApprovalNode, path: string): FieldError[] {
  const found: FieldError[] = [];
  if (former.by !== undefined && node.by === undefined) {
    found.push({ path: `${path}.by`, message: "the approval no longer asks for another person" });
  }
  const listed = ({ approvers }: ApprovalNode) => [
    ...(approvers?.roles ?? []).map((role) => `role ${role}`),
    ...(approvers?.people ?? []).map((id) => `person ${id}`),
  ];
  const isWider = node.approvers === undefined || listed(node).some((one) => !listed(former).includes(one));
  if (former.approvers !== undefined && isWider) {
    found.push({ path: `${path}.approvers`, message: "the approval has new approvers" });
  }
  return found;
}

/** The nodes that run without an approval, and ran only after it before. */
function unguarded(before: Definition, after: Definition, approvalId: string): FieldError[] {
  const formerlyFree = reachable(before, approvalId);
  const free = new Set<string>();
  /** Null among the hosts: every host. */
  const guarded = new Map<string, Set<string | null>>();
  const guardedIds = new Set<string>();
  for (const { node } of placedNodes(before)) {
    const isFree = formerlyFree.has(node.id);
    for (const { name, host, exact } of usesOf(node)) {
      if (isFree) free.add(exact);
      else guarded.set(name, (guarded.get(name) ?? new Set()).add(host));
    }
    if (!isFree && usesOf(node).length > 0) guardedIds.add(node.id);
  }
  const nowFree = reachable(after, approvalId);
  const isGuarded = ({ name, host }: Use): boolean => {
    const hosts = guarded.get(name);
    return hosts !== undefined && (host === null || hosts.has(null) || hosts.has(host));
  };
  return placedNodes(after).flatMap(({ node, path }): FieldError[] => {
    const uses = usesOf(node);
    if (!nowFree.has(node.id) || uses.length === 0) return [];
    const isWayRound = guardedIds.has(node.id) || uses.some((use) => isGuarded(use) && !free.has(use.exact));
    return isWayRound ? [{ path, message: `can now run without the approval ${approvalId}` }] : [];
  });
}

/** The forEach nodes around an approval that go on after failures, and so after a rejection, in another way than before. */
function tolerated(before: Definition, after: Definition, approvalId: string): FieldError[] {
  const former = new Map(placedNodes(before).map(({ node }) => [node.id, node]));
  const chain = forEachChains(after).get(approvalId) ?? [];
  return placedNodes(after).flatMap(({ node, path }): FieldError[] => {
    if (node.type !== "forEach" || !chain.includes(node.id)) return [];
    const was = former.get(node.id);
    const same =
      was?.type === "forEach" && was.maxFailures === node.maxFailures && was.continueOnError === node.continueOnError;
    const goesOn = node.continueOnError === true || (node.maxFailures ?? 0) !== 0;
    return goesOn && !same
      ? [{ path, message: `can now go on when the approval ${approvalId} in it is rejected` }]
      : [];
  });
}

interface Use {
  readonly name: string;
  /** The host, at any port. Null for every host: a template names it, or the connection leads to one host. */
  readonly host: string | null;
  /** Equal for two nodes that use the same. */
  readonly exact: string;
}

/** The work of a node and its resources; empty for a node that runs nothing. */
function usesOf(node: Node): Use[] {
  if (node.type === "workflow") return [used(`workflow ${node.workflowId}`)];
  if (node.type !== "action") return [];
  const { action, connectionId = "", target = "", params } = node;
  const connections = connectionsNamedBy(node);
  const named =
    connections.length === 0
      ? [used(`action ${action}`)]
      : connections.map((id) => used(`connection ${id}`, id === connectionId ? target : ""));
  return [...named, used(`work ${action} ${connectionId} ${target} ${canonicalJson(params)}`)];
}

function used(name: string, target = ""): Use {
  const host = hostIn(spelt(target))?.host ?? null;
  return { name, host, exact: `${name} ${host ?? target}` };
}

/** The nodes that can run without this approval: every way except its approved edge. */
function reachable(graph: Graph, approvalId: string, found: Set<string> = new Set()): Set<string> {
  const { nodes } = indexOf(graph);
  const reached = new Set([...nodes].flatMap(([id, { incoming }]) => (incoming.length === 0 ? [id] : [])));
  for (const id of reached) {
    const entry = nodes.get(id);
    if (entry === undefined) continue;
    found.add(id);
    if (entry.node.type === "forEach") reachable(entry.node.body, approvalId, found);
    for (const edge of entry.outgoing) if (id !== approvalId || edge.on !== "approved") reached.add(edge.to);
  }
  return found;
}

function placedNodes(definition: Definition): PlacedNode[] {
  return graphsOf(definition).flatMap(({ graph, at }) =>
    graph.nodes.map((node, index) => ({ node, path: `${at}nodes.${index}` })),
  );
}
