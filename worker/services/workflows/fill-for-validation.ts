import type { JsonObject } from "../../../schema/contract/json.ts";
import { isJsonObject } from "../../../schema/contract/json-object.ts";
import { WORKFLOW_MAX_EDGES, definitionSchema, edgeSchema } from "../../../schema/contract/workflow.ts";
import type { Definition, Edge, Graph, Node } from "../../../schema/contract/workflow.ts";
import { WORKFLOW_MAX_DEPTH, WORKFLOW_MAX_NODES } from "../../../schema/limits.ts";
import { partsOf } from "../parse.ts";
import { fillFields } from "./fill-fields.ts";

/** With more problems than that in one node, the other checks can wait. */
const MAX_FILLED = 100;
/** More than any field's path has. */
const MAX_STEPS = 200;

/** A definition that can be checked as a graph, though parts of the input have the wrong shape. */
export interface FilledDefinition {
  definition: Definition;
  /** Whether the problem at this path is about a placeholder, and so not the sender's. */
  isMade(path: string): boolean;
}

/**
 * Replaces each field of a node and each edge of the wrong shape with a placeholder, so that the other problems are
 * reported in the same answer; a node of unknown type is replaced whole. Null when the input has too little of a graph:
 * then only problems of shape are reported.
 */
export function fillForValidation(sent: unknown): FilledDefinition | null {
  const filler = new Filler();
  const definition = filler.graph(sent, "", WORKFLOW_MAX_DEPTH);
  return definition && { definition, isMade: (path) => filler.isMade(path) };
}

class Filler {
  /** The paths of placeholders; each covers everything below it. */
  readonly #fields = new Set<string>();
  /** Nodes of which only the id is the sender's. */
  readonly #standIns = new Set<string>();
  #ids = 0;

  isMade(path: string): boolean {
    // Names of parameters may have any number of dots.
    for (let [end, steps] = [path.indexOf("."), 0]; end >= 0 && steps < MAX_STEPS; steps += 1) {
      const known = path.slice(0, end);
      if (this.#fields.has(known) || this.#standIns.has(known)) return true;
      end = path.indexOf(".", end + 1);
    }
    return this.#fields.has(path);
  }

  graph(sent: unknown, at: string, depthLeft: number): Graph | null {
    const { nodes, edges } = partsOf(sent);
    if (!Array.isArray(nodes) || !Array.isArray(edges)) return null;
    if (nodes.length === 0 || nodes.length > WORKFLOW_MAX_NODES || edges.length > WORKFLOW_MAX_EDGES) return null;
    /** Invalid ids of nodes, and their replacements. */
    const renamed = new Map<string, string>();
    const filledNodes = nodes.map((raw: unknown, index) =>
      this.#node(raw, { at: `${at}nodes.${index}`, depthLeft, renamed }),
    );
    const unknownIds = new Set(
      filledNodes.flatMap(({ id }, index) => (this.#standIns.has(`${at}nodes.${index}`) ? [id] : [])),
    );
    const filledEdges: Edge[] = [];
    for (const [index, raw] of edges.entries()) {
      const sound = edgeSchema.safeParse(raw).data;
      const edge = sound ?? fillEdge(raw, renamed);
      if (edge === null) return null;
      // The outcomes of a placeholder node are unknown.
      if (sound === undefined || unknownIds.has(edge.from) || unknownIds.has(edge.to))
        this.#fields.add(`${at}edges.${index}.on`);
      filledEdges.push(edge);
    }
    return { nodes: filledNodes, edges: filledEdges };
  }

  #node(raw: unknown, place: { at: string; depthLeft: number; renamed: Map<string, string> }): Node {
    const { at, depthLeft, renamed } = place;
    const sound = depthLeft === WORKFLOW_MAX_DEPTH || !isForEach(raw) ? nodeOf(raw) : undefined;
    if (sound !== undefined) return sound;
    const node = isJsonObject(raw) ? this.#filled(raw, at, depthLeft) : null;
    const { id: sentId, type } = partsOf(raw);
    const id = node?.id ?? nodeOf({ id: sentId, type: "errorHandler" })?.id ?? this.#newId();
    if (typeof sentId === "string" && sentId !== id) renamed.set(sentId, id);
    if (node !== null) return node;
    this.#standIns.add(at);
    return type === "errorHandler" ? { id, type } : { id, type: "delay", seconds: 1 };
  }

  /** The node without its wrong fields; null when the rest is not a node. */
  #filled(raw: JsonObject, at: string, depthLeft: number): Node | null {
    if (isForEach(raw) && depthLeft <= 1) return null;
    const wrong = issuePathsOf(raw);
    if (wrong.length > MAX_FILLED) return null;
    const { node, made } = fillFields(raw, wrong, () => this.#newId());
    const body = isForEach(raw) ? this.graph(raw["body"], `${at}.body.`, depthLeft - 1) : undefined;
    if (body === null) made.push("body");
    const standIn = { nodes: [{ id: this.#newId(), type: "delay", seconds: 1 }], edges: [] };
    const filled = nodeOf(body === undefined ? node : { ...node, body: body ?? standIn });
    if (filled === undefined) return null;
    for (const field of made) this.#fields.add(`${at}.${field}`);
    return filled;
  }

  #newId(): string {
    this.#ids += 1;
    return `node-${this.#ids}-`;
  }
}

function nodeOf(raw: unknown): Node | undefined {
  return definitionSchema.safeParse({ nodes: [raw], edges: [] }).data?.nodes[0];
}

/** The paths in a node that have the wrong shape, such as `["timeoutSeconds"]`; unknown fields by their names. */
function issuePathsOf(raw: JsonObject): string[][] {
  const { error } = definitionSchema.safeParse({ nodes: [raw], edges: [] });
  return (error?.issues ?? []).flatMap((issue) => {
    const path = issue.path.slice(2).map(String);
    return issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
  });
}

function isForEach(raw: unknown): boolean {
  return partsOf(raw)["type"] === "forEach";
}

function fillEdge(raw: unknown, renamed: ReadonlyMap<string, string>): Edge | null {
  if (!isJsonObject(raw)) return null;
  const { from, to } = raw;
  if (typeof from !== "string" || typeof to !== "string") return null;
  const edge = { from: renamed.get(from) ?? from, to: renamed.get(to) ?? to, on: raw["on"] };
  const parsed = edgeSchema.safeParse(edge).data ?? edgeSchema.safeParse({ ...edge, on: "success" }).data;
  return parsed ?? null;
}
