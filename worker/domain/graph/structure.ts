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
  const seen = new Set<string>();
  return edges.flatMap((edge, index) => {
    const at = `edges.${index}`;
    const problems: FieldError[] = [];
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    if (from === undefined) problems.push({ path: `${at}.from`, message: `there is no step ${edge.from}` });
    else if (!outcomesOf(from.type).includes(edge.on)) {
      problems.push({
        path: `${at}.on`,
        message: `${from.id} ends with ${outcomesOf(from.type).join(" or ")}, not with ${edge.on}`,
      });
    }
    if (to === undefined) problems.push({ path: `${at}.to`, message: `there is no step ${edge.to}` });
    else if (to.type === "errorHandler" && edge.on !== "failure") {
      problems.push({
        path: `${at}.on`,
        message: "only failure edges may lead to an error handler: use failure, or remove the edge",
      });
    }
    if (edge.from === edge.to)
      problems.push({
        path: at,
        message: `leads from ${edge.from} to itself: to repeat an action, set its maximum attempts`,
      });
    const key = `${edge.from} ${edge.on} ${edge.to}`;
    if (seen.has(key)) problems.push({ path: at, message: "is there twice: remove one of the two edges" });
    seen.add(key);
    return problems;
  });
}

function checkHandlers({ nodes, edges }: Graph): FieldError[] {
  const entered = new Set(edges.map((edge) => edge.to));
  const roots = nodes.flatMap((node, index) => (entered.has(node.id) ? [] : [{ node, index }]));
  const [first, ...others] = roots.filter(({ node }) => node.type === "errorHandler");
  const problems = others.map(({ index }) => ({
    path: `nodes.${index}`,
    message: `${first?.node.id ?? ""} already handles the failures of all steps here: add failure edges to this error handler`,
  }));
  if (first !== undefined && roots.every(({ node }) => node.type === "errorHandler")) {
    problems.push({
      path: "nodes",
      message: "no step can start, because an error handler only waits for failures: add another step",
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
      message: `closes the cycle ${[...path, path[0]].join(" → ")}: a workflow runs each step once. Remove an edge`,
    })),
    ...nodes.flatMap(({ id }, index) =>
      reached.has(id) || inCycle.has(id)
        ? []
        : [{ path: `nodes.${index}`, message: `${id} cannot be reached: only steps of a cycle lead to it` }],
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
