import type { EdgeLabel, Graph as DagreGraph, GraphLabel, NodeLabel } from "@dagrejs/dagre";

export type DrawnGraph = DagreGraph<GraphLabel, NodeLabel, EdgeLabel>;

/** A part of an edge between two neighbouring rows. */
interface Link {
  from: string;
  to: string;
  /** Where it leaves along its source's lower side, from 0 to 1. */
  outlet: number;
}

interface Rows {
  rows: readonly string[][];
  at: Map<string, number>;
  entering: ReadonlyMap<string, readonly Link[]>;
  leaving: ReadonlyMap<string, readonly Link[]>;
}

/** Two edges of one node in another order than their outlets cross as well. On a tie the outlets decide. */
const SWAP_COST = 1.001;
const SWEEPS = 8;
const MAX_PASSES = 20;

/**
 * Orders the nodes of each row so that few edges cross, with branches in the order of their outlets: `true` is left of
 * `false`. It begins with Dagre's order and only keeps orders with fewer crossings. `outletOf` says where an edge leaves
 * its source, from 0 to 1.
 */
export function orderRows(graph: DrawnGraph, outletOf: (from: string, on: string) => number): void {
  const ranks = Map.groupBy(graph.nodes(), (id) => graph.node(id).rank ?? 0);
  const rows = [...ranks.keys()].toSorted((a, b) => a - b).map((rank) => ranks.get(rank) ?? []);
  for (const row of rows) row.sort((a, b) => orderOf(graph, a) - orderOf(graph, b));
  const links = graph.edges().map(({ v, w, name }) => ({ from: v, to: w, outlet: outletOf(v, name ?? "") }));
  const drawn: Rows = {
    rows,
    at: new Map(rows.flatMap((row) => row.map((id, index) => [id, index]))),
    entering: Map.groupBy(links, ({ to }) => to),
    leaving: Map.groupBy(links, ({ from }) => from),
  };
  swapNeighbours(drawn);
  let least = costOf(drawn);
  let best = new Map(drawn.at);
  for (let sweep = 0; sweep < SWEEPS && least > 0; sweep += 1) {
    sortByMeans(drawn, sweep % 2 === 0 ? "down" : "up");
    swapNeighbours(drawn);
    const cost = costOf(drawn);
    if (cost >= least) continue;
    least = cost;
    best = new Map(drawn.at);
  }
  for (const [id, order] of best) graph.node(id).order = order;
}

function orderOf(graph: DrawnGraph, id: string): number {
  return graph.node(id).order ?? 0;
}

/** Sorts each row by the mean position of its nodes' neighbours in the row before. Nodes without any keep their places. */
function sortByMeans({ rows, at, entering, leaving }: Rows, direction: "down" | "up"): void {
  for (const row of direction === "down" ? rows : rows.toReversed()) {
    const means = new Map<string, number>();
    for (const id of row) {
      const links = (direction === "down" ? entering : leaving).get(id) ?? [];
      const places = links.map((link) => (direction === "down" ? sourceAt(link, at) : (at.get(link.to) ?? 0)));
      if (places.length > 0) means.set(id, places.reduce((sum, place) => sum + place, 0) / places.length);
    }
    const sorted = row.filter((id) => means.has(id)).toSorted((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0));
    for (const [index, id] of row.entries()) if (means.has(id)) row[index] = sorted.shift() ?? id;
    for (const [index, id] of row.entries()) at.set(id, index);
  }
}

/** Swaps neighbours in a row while that lowers the cost. */
function swapNeighbours({ rows, at, entering, leaving }: Rows): void {
  let changed = true;
  for (let pass = 0; changed && pass < MAX_PASSES; pass += 1) {
    changed = false;
    for (const row of rows) {
      for (let index = 1; index < row.length; index += 1) {
        const [left = "", right = ""] = [row[index - 1], row[index]];
        const above = [entering.get(left) ?? [], entering.get(right) ?? []] as const;
        const below = [leaving.get(left) ?? [], leaving.get(right) ?? []] as const;
        const cost = (one: 0 | 1, other: 0 | 1) =>
          crossedAbove(above[one], above[other], at) + crossedBelow(below[one], below[other], at);
        if (cost(1, 0) >= cost(0, 1)) continue;
        [row[index - 1], row[index]] = [right, left];
        at.set(right, index - 1).set(left, index);
        changed = true;
      }
    }
  }
}

/** The cost of the edges from the row above to two nodes, when the first node is left of the second. */
function crossedAbove(left: readonly Link[], right: readonly Link[], at: ReadonlyMap<string, number>): number {
  let cost = 0;
  for (const one of left) {
    for (const other of right) {
      if (sourceAt(one, at) > sourceAt(other, at)) cost += one.from === other.from ? SWAP_COST : 1;
    }
  }
  return cost;
}

function crossedBelow(left: readonly Link[], right: readonly Link[], at: ReadonlyMap<string, number>): number {
  let cost = 0;
  for (const one of left) for (const other of right) if ((at.get(one.to) ?? 0) > (at.get(other.to) ?? 0)) cost += 1;
  return cost;
}

function costOf({ rows, at, entering }: Rows): number {
  let cost = 0;
  for (const row of rows) {
    for (const [index, right] of row.entries()) {
      const links = entering.get(right);
      if (links === undefined) continue;
      for (const left of row.slice(0, index)) cost += crossedAbove(entering.get(left) ?? [], links, at);
    }
  }
  return cost;
}

function sourceAt({ from, outlet }: Link, at: ReadonlyMap<string, number>): number {
  return (at.get(from) ?? 0) + outlet;
}
