import type { Fix } from "../../../../schema/contract/problem.ts";
import type { WorkflowInput } from "../../../../schema/contract/management.ts";
import type { Definition, Edge, Graph, Layout, Node, Trigger } from "../../../../schema/contract/workflow.ts";
import { put } from "../../../workflow-forms/put.ts";
import { withKnownLayout } from "../../../../worker/domain/definition-layout.ts";
import { applyFix } from "./fix.ts";
import { edgesThrough, isSameEdge, whyNotConnect } from "./connect.ts";
import { BODY_CORNER } from "./boxes.ts";
import type { Place } from "./boxes.ts";
import { withFreshIds } from "./fragment.ts";
import type { Fragment } from "./fragment.ts";
import { freeShift } from "./free-place.ts";
import { changeGraphs, containerOf, findNode, graphIn, isWithin, nodesOf } from "./graph-edit.ts";
import type { ContainerId } from "./graph-edit.ts";
import { hasPlaces, settled } from "./places.ts";
import { renameNodes } from "./rename.ts";

/** The draft that the designer edits, in the shape in which it is saved. */
export type Draft = WorkflowInput;

export type Command =
  /** `onEdge`: the node goes into this edge. `after`: an edge from this outcome leads to the node. */
  | { do: "add"; node: Node; into: ContainerId; at?: Place | undefined; onEdge?: Edge; after?: Omit<Edge, "to"> }
  | { do: "remove"; ids: readonly string[]; edges?: readonly Edge[] }
  | { do: "connect"; edge: Edge }
  /** Inserts an existing node into an edge. */
  | { do: "splice"; id: string; edge: Edge }
  /** Replaces a node's fields. A new id renames the node everywhere. */
  | { do: "change"; id: string; node: Node }
  | { do: "paste"; fragment: Fragment; into: ContainerId }
  | { do: "move"; ids: readonly string[]; into: ContainerId; places: Readonly<Record<string, Place>> }
  | { do: "place"; places: Readonly<Record<string, Place>> }
  /** Lays out all nodes. */
  | { do: "arrange" }
  | { do: "head"; fields: Partial<Omit<Draft, "trigger" | "definition">> }
  | { do: "trigger"; trigger: Trigger }
  | { do: "rules"; rules: Partial<Pick<Definition, "concurrency" | "timeoutSeconds" | "limits">> }
  | { do: "fix"; fix: Fix }
  | { do: "replace"; draft: Draft };

/**
 * The draft after a command. A command that cannot be carried out returns the same object. From the first command on
 * the graph, every node has a stored position, and a command moves only the nodes that it names.
 */
export function apply(draft: Draft, command: Command): Draft {
  switch (command.do) {
    case "head":
      return { ...draft, ...command.fields };
    case "trigger":
      return { ...draft, trigger: command.trigger };
    case "rules":
      return { ...draft, definition: put<Definition>(draft.definition, command.rules) };
    case "fix":
      return applyFix(draft, command.fix);
    case "replace":
      return { ...command.draft, definition: inSamePlaces(command.draft.definition, draft.definition) };
    default: {
      const before = settled(draft.definition);
      const definition = settled(withKnownLayout(applyToDefinition(before, command)));
      return JSON.stringify(definition) === JSON.stringify(before) ? draft : { ...draft, definition };
    }
  }
}

/** A draft without positions, such as a YAML text, keeps those of the draft before it. */
function inSamePlaces(definition: Definition, before: Definition): Definition {
  if (hasPlaces(definition) || before.nodes.length === 0) return definition;
  return settled(withKnownLayout({ ...definition, layout: settled(before).layout }));
}

type GraphCommand = Exclude<Command, { do: "head" | "trigger" | "rules" | "fix" | "replace" }>;

function applyToDefinition(definition: Definition, command: GraphCommand): Definition {
  switch (command.do) {
    case "add":
      return add(definition, command);
    case "remove":
      return remove(definition, new Set(command.ids), command.edges ?? []);
    case "connect":
      return whyNotConnect(definition, command.edge) === null ? connect(definition, command.edge) : definition;
    case "splice":
      return splice(definition, command.id, command.edge);
    case "change":
      return change(definition, command.id, command.node);
    case "paste":
      return paste(definition, command);
    case "move":
      return move(definition, command);
    case "place":
      return withPlaces(definition, command.places);
    case "arrange":
      return settled(withLayout(definition, {}));
  }
}

function add(definition: Definition, { node, into, at, onEdge, after }: Extract<Command, { do: "add" }>): Definition {
  if (graphIn(definition, into) === null || findNode(definition, node.id) !== undefined) return definition;
  let added = inGraph(definition, into, (graph) => ({ nodes: [...graph.nodes, node], edges: graph.edges }));
  if (at !== undefined) added = withPlaces(added, { [node.id]: at });
  if (onEdge !== undefined) return throughEdge(added, node, onEdge) ?? added;
  if (after === undefined) return added;
  const edge = { ...after, to: node.id };
  if (whyNotConnect(added, edge) !== null) return added;
  // The new node goes between the node before it and that node's successor, so the order stays.
  const leaving = graphIn(added, into)?.edges.filter(({ from, on }) => from === after.from && on === after.on) ?? [];
  const [only, ...others] = leaving;
  const through = only === undefined || others.length > 0 ? null : throughEdge(added, node, only);
  return through ?? connect(added, edge);
}

function throughEdge(definition: Definition, node: Node, edge: Edge): Definition | null {
  const edges = edgesThrough(edge, node, findNode(definition, edge.to));
  if (edges === null) return null;
  return changeGraphs(definition, (graph) =>
    graph.edges.some((other) => isSameEdge(other, edge))
      ? { nodes: graph.nodes, edges: graph.edges.flatMap((other) => (isSameEdge(other, edge) ? edges : [other])) }
      : graph,
  );
}

/** Only a node without edges: for others it would be unclear which edges to keep. */
function splice(definition: Definition, id: string, edge: Edge): Definition {
  const node = findNode(definition, id);
  const graph = graphIn(definition, containerOf(definition, id) ?? null);
  if (node === undefined || graph === null || edge.from === id || edge.to === id) return definition;
  const isFree = graph.edges.every(({ from, to }) => from !== id && to !== id);
  const isHere = graph.edges.some((other) => isSameEdge(other, edge));
  return isFree && isHere ? (throughEdge(definition, node, edge) ?? definition) : definition;
}

function remove(definition: Definition, ids: ReadonlySet<string>, edges: readonly Edge[]): Definition {
  return changeGraphs(definition, (graph) => ({
    nodes: graph.nodes.filter(({ id }) => !ids.has(id)),
    edges: graph.edges.filter(
      (edge) => !ids.has(edge.from) && !ids.has(edge.to) && !edges.some((gone) => isSameEdge(gone, edge)),
    ),
  }));
}

function connect(definition: Definition, edge: Edge): Definition {
  const container = containerOf(definition, edge.from) ?? null;
  return inGraph(definition, container, ({ nodes, edges }) => ({ nodes, edges: [...edges, edge] }));
}

function change(definition: Definition, id: string, node: Node): Definition {
  const taken = node.id !== id && findNode(definition, node.id) !== undefined;
  if (findNode(definition, id) === undefined || taken) return definition;
  const changed = changeGraphs(definition, (graph) => ({
    nodes: graph.nodes.map((other) => (other.id === id ? { ...node, id } : other)),
    edges: graph.edges,
  }));
  return node.id === id ? changed : renameNodes(changed, new Map([[id, node.id]]));
}

/** The pasted nodes keep their order and distances, and go to the nearest place where they are clear of others. */
function paste(definition: Definition, { fragment, into }: Extract<Command, { do: "paste" }>): Definition {
  const taken = new Set(nodesOf(definition).map(({ id }) => id));
  const fresh = withFreshIds(fragment, taken);
  const pasted = inGraph(definition, into, ({ nodes, edges }) => ({
    nodes: [...nodes, ...fresh.nodes],
    edges: [...edges, ...fresh.edges],
  }));
  const placed = settled(withLayout(pasted, { ...pasted.layout, ...fresh.layout }));
  const tops = fresh.nodes.map(({ id }) => id);
  const places = new Map(Object.entries(placed.layout ?? {}));
  const own = tops.map((id) => [id, places.get(id) ?? BODY_CORNER] as const);
  // Positions from elsewhere would be far outside of a body.
  const corner = { x: Math.min(...own.map(([, { x }]) => x)), y: Math.min(...own.map(([, { y }]) => y)) };
  const start = into === null ? { x: 0, y: 0 } : { x: BODY_CORNER.x - corner.x, y: BODY_CORNER.y - corner.y };
  for (const [id, { x, y }] of own) places.set(id, { x: x + start.x, y: y + start.y });
  const shift = freeShift(placed, tops, places);
  const moved = own.map(([id, { x, y }]) => [id, { x: x + start.x + shift.x, y: y + start.y + shift.y }]);
  return withPlaces(placed, Object.fromEntries(moved));
}

/** Moves nodes into or out of a forEach. Edges to the nodes that stay are removed, since no edge crosses its border. */
function move(definition: Definition, { ids, into, places }: Extract<Command, { do: "move" }>): Definition {
  const moved = nodesOf(definition).filter(
    ({ id }) => ids.includes(id) && containerOf(definition, id) !== into && !isIntoItself(definition, id, into),
  );
  if (moved.length === 0 || graphIn(definition, into) === null) return definition;
  const here = new Set(moved.map(({ id }) => id));
  const kept: Edge[] = [];
  const cut = changeGraphs(definition, (graph) => {
    kept.push(...graph.edges.filter(({ from, to }) => here.has(from) && here.has(to)));
    return {
      nodes: graph.nodes.filter(({ id }) => !here.has(id)),
      edges: graph.edges.filter(({ from, to }) => !here.has(from) && !here.has(to)),
    };
  });
  const put = inGraph(cut, into, ({ nodes, edges }) => ({ nodes: [...nodes, ...moved], edges: [...edges, ...kept] }));
  // The old positions were relative to another graph.
  const layout = Object.entries(put.layout ?? {}).filter(([id]) => !here.has(id));
  return withPlaces(withLayout(put, Object.fromEntries(layout)), places);
}

function isIntoItself(definition: Definition, id: string, into: ContainerId): boolean {
  return into !== null && isWithin(definition, into, id);
}

function inGraph(definition: Definition, container: ContainerId, change: (graph: Graph) => Graph): Definition {
  return changeGraphs(definition, (graph, here) => (here === container ? change(graph) : graph));
}

function withLayout({ layout: _layout, ...rest }: Definition, layout: Layout): Definition {
  return Object.keys(layout).length === 0 ? rest : { ...rest, layout };
}

/** Nodes that are put above or left of their forEach's body go to its border, so that no other node has to move. */
function withPlaces(definition: Definition, places: Readonly<Record<string, Place>>): Definition {
  const whole = (value: number, least: number) => Math.max(least, Math.min(100_000, Math.round(value)));
  const put = Object.entries(places).map(([id, { x, y }]) => {
    const least = (containerOf(definition, id) ?? null) === null ? { x: -100_000, y: -100_000 } : BODY_CORNER;
    return [id, { x: whole(x, least.x), y: whole(y, least.y) }];
  });
  return { ...definition, layout: { ...definition.layout, ...Object.fromEntries(put) } };
}
