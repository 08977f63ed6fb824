import type { Definition, Edge, Node } from "../../../schema/contract/workflow.ts";
import { definitionSchema, edgeSchema, nodeIdSchema } from "../../../schema/contract/workflow.ts";
import { WORKFLOW_MAX_NODES } from "../../../schema/limits.ts";
import { isJsonObject, partsOf } from "../parse.ts";

const WORKFLOW_MAX_EDGES = WORKFLOW_MAX_NODES * 10;

/** A definition that can be checked as a graph, though parts of what was sent are none. */
export interface MendedDefinition {
  definition: Definition;
  /** Whether a problem at this path is about something that was put in, and so not the sender's. */
  isMade(path: string): boolean;
}

/**
 * Puts a stand-in where a node or an edge has the wrong shape, so that the problems of the rest are found in the same
 * round. Null when too little is there to see a graph: then only the problems of shape are told.
 */
export function mendDefinition(sent: unknown): MendedDefinition | null {
  const { nodes, edges } = partsOf(sent);
  if (!Array.isArray(nodes) || !Array.isArray(edges)) return null;
  if (nodes.length === 0 || nodes.length > WORKFLOW_MAX_NODES || edges.length > WORKFLOW_MAX_EDGES) return null;
  const broken = new Set<number>();
  /** Ids that no node may have, and what stands for them here. */
  const renamed = new Map<string, string>();
  const mendedNodes = nodes.map((raw: unknown, index): Node => {
    const parsed = definitionSchema.safeParse({ nodes: [raw], edges: [] }).data?.nodes[0];
    if (parsed !== undefined) return parsed;
    broken.add(index);
    return standIn(raw, index, renamed);
  });
  const brokenIds = new Set([...broken].map((index) => mendedNodes[index]?.id));
  const doubtful = new Set<number>();
  const mendedEdges: Edge[] = [];
  for (const [index, raw] of edges.entries()) {
    const sound = edgeSchema.safeParse(raw).data;
    const edge = sound ?? mendEdge(raw, renamed);
    if (edge === null) return null;
    if (sound === undefined || brokenIds.has(edge.from) || brokenIds.has(edge.to)) doubtful.add(index);
    mendedEdges.push(edge);
  }
  return {
    definition: { nodes: mendedNodes, edges: mendedEdges },
    isMade: (path) => {
      const [list, index, field] = path.split(".");
      if (list === "nodes") return broken.has(Number(index)) && field !== undefined;
      return list === "edges" && doubtful.has(Number(index)) && field === "on";
    },
  };
}

function standIn(raw: unknown, index: number, renamed: Map<string, string>): Node {
  const { id: sentId, type } = partsOf(raw);
  const id = nodeIdSchema.safeParse(sentId).data ?? `node-${index}-`;
  if (typeof sentId === "string" && sentId !== id) renamed.set(sentId, id);
  return type === "errorHandler" ? { id, type } : { id, type: "delay", seconds: 1 };
}

function mendEdge(raw: unknown, renamed: ReadonlyMap<string, string>): Edge | null {
  if (!isJsonObject(raw)) return null;
  const { from, to } = raw;
  if (typeof from !== "string" || typeof to !== "string") return null;
  const edge = { from: renamed.get(from) ?? from, to: renamed.get(to) ?? to, on: raw["on"] };
  const parsed = edgeSchema.safeParse(edge).data ?? edgeSchema.safeParse({ ...edge, on: "success" }).data;
  return parsed ?? null;
}
