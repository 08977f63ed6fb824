import type { FieldError } from "../../../schema/contract/problem.ts";
import { NODE_OUTCOMES } from "../../../schema/contract/workflow.ts";
import type { Edge, Graph, Outcome } from "../../../schema/contract/workflow.ts";
import { findCycles } from "./cycles.ts";

/** Checks nodes and edges as a graph: ends of edges, handlers, cycles, unreachable nodes. */
export function checkStructure(graph: Graph): FieldError[] {
  return [...checkEdges(graph), ...checkHandlers(graph), ...checkPaths(graph)];
}

function checkEdges({ nodes, edges }: Graph): FieldError[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const seen = new Map<string, number>();
  return edges.flatMap((edge, index) => {
    const at = `edges.${index}`;
    const problems: FieldError[] = [];
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (from === undefined) problems.push({ path: `${at}.from`, message: `there is no node ${edge.from}` });
    else if (!outcomesOf(from.type).includes(edge.on)) {
      problems.push({
        path: `${at}.on`,
        message: `a node of type ${from.type} leaves by ${outcomesOf(from.type).join(", ")}`,
      });
    }
    if (to === undefined) problems.push({ path: `${at}.to`, message: `there is no node ${edge.to}` });
    else if (to.type === "errorHandler" && edge.on !== "failure") {
      problems.push({
        path: `${at}.on`,
        message: "only failure edges may lead to an errorHandler: use failure, or remove the edge",
      });
    }
    if (edge.from === edge.to)
      problems.push({ path: at, message: `leads from ${edge.from} to itself: repeat an action with its retry` });
    const key = `${edge.from} ${edge.on} ${edge.to}`;
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, index);
    else problems.push({ path: at, message: `is the same as edges.${twin}` });
    return problems;
  });
}

function checkHandlers({ nodes, edges }: Graph): FieldError[] {
  const entered = new Set(edges.map((edge) => edge.to));
  const roots = nodes.flatMap((node, index) => (entered.has(node.id) ? [] : [{ node, index }]));
  const [first, ...others] = roots.filter(({ node }) => node.type === "errorHandler");
  const problems = others.map(({ index }) => ({
    path: `nodes.${index}`,
    message: `${first?.node.id ?? ""} is already the errorHandler of this whole graph: add failure edges to this one`,
  }));
  if (first !== undefined && roots.every(({ node }) => node.type === "errorHandler")) {
    problems.push({
      path: "nodes",
      message: "no node can start, because an errorHandler only waits for failures: add another node",
    });
  }
  return problems;
}

function checkPaths({ nodes, edges }: Graph): FieldError[] {
  const ids = new Set(nodes.map((node) => node.id));
  // An edge to a missing node, or to itself, is reported separately.
  const real = edges.filter((edge) => ids.has(edge.from) && ids.has(edge.to) && edge.from !== edge.to);
  const cycles = findCycles(nodes, real);
  const inCycle = new Set(cycles.flatMap(({ path }) => path));
  const entered = new Set(real.map((edge) => edge.to));
  const reached = reachableFrom(
    nodes.map(({ id }) => id).filter((id) => !entered.has(id)),
    real,
  );
  return [
    ...cycles.map(({ path, closedBy }) => ({
      path: `edges.${edges.indexOf(closedBy)}`,
      message: `closes the cycle ${[...path, path[0]].join(" → ")}: a workflow runs each node once. Remove an edge`,
    })),
    ...nodes.flatMap(({ id }, index) =>
      reached.has(id) || inCycle.has(id)
        ? []
        : [{ path: `nodes.${index}`, message: `${id} cannot be reached: only nodes of a cycle lead to it` }],
    ),
  ];
}

function reachableFrom(starts: readonly string[], edges: readonly Edge[]): Set<string> {
  const outgoing = Map.groupBy(edges, (edge) => edge.from);
  const reached = new Set(starts);
  for (const id of reached) for (const edge of outgoing.get(id) ?? []) reached.add(edge.to);
  return reached;
}

function outcomesOf(type: keyof typeof NODE_OUTCOMES): readonly Outcome[] {
  return NODE_OUTCOMES[type];
}
