import type { Definition, Edge, Graph, Layout, Node } from "../../../../schema/contract/workflow.ts";
import { freshId } from "./ids.ts";
import { containerOf, nodesOf } from "./graph-edit.ts";
import { settled } from "./places.ts";
import { renameInGraph } from "./rename.ts";

/** Copied nodes with the edges among them. */
export interface Fragment extends Graph {
  /** The positions of its nodes. */
  layout: Layout;
}

/** The nodes with these ids. Nodes inside a selected forEach come with it. Null when there are none. */
export function takeFragment(definition: Definition, ids: readonly string[]): Fragment | null {
  const selected = new Set(ids);
  const nodes = nodesOf(definition).filter(({ id }) => selected.has(id) && !isInside(definition, id, selected));
  if (nodes.length === 0) return null;
  const here = new Set(nodes.map(({ id }) => id));
  const all = new Set(nodes.flatMap((node) => [node.id, ...(node.type === "forEach" ? idsIn(node.body) : [])]));
  const layout = Object.entries(settled(definition).layout ?? {}).filter(([id]) => all.has(id));
  return { nodes, edges: edgesAmong(definition, here), layout: Object.fromEntries(layout) };
}

/** The same nodes with unused ids. Their references to each other have the new ids. */
export function withFreshIds(fragment: Fragment, taken: ReadonlySet<string>): Fragment {
  const used = new Set(taken);
  const names = new Map<string, string>();
  for (const { id } of nodesOf(fragment)) {
    const name = used.has(id) ? freshId(id, used) : id;
    used.add(name);
    names.set(id, name);
  }
  return {
    ...renameInGraph(fragment, names),
    layout: Object.fromEntries(Object.entries(fragment.layout).map(([id, place]) => [names.get(id) ?? id, place])),
  };
}

function isInside(definition: Definition, id: string, others: ReadonlySet<string>): boolean {
  for (let at = containerOf(definition, id); at !== null && at !== undefined; at = containerOf(definition, at)) {
    if (others.has(at)) return true;
  }
  return false;
}

function idsIn(graph: Graph): string[] {
  return nodesOf(graph).map(({ id }) => id);
}

function edgesAmong(graph: Graph, ids: ReadonlySet<string>): Edge[] {
  const own = graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to));
  const inner = graph.nodes.flatMap((node: Node) =>
    node.type === "forEach" && !ids.has(node.id) ? edgesAmong(node.body, ids) : [],
  );
  return [...own, ...inner];
}
