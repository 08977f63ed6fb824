import { draftDefinitionSchema } from "../../../../schema/contract/workflow-draft.ts";
import type { Fragment } from "./fragment.ts";

/** Nodes as plain text for the clipboard, so that they can be pasted into another workflow, window or a chat. */
export function writeFragment({ nodes, edges, layout }: Fragment): string {
  return JSON.stringify({ nodes, edges, layout }, null, 2);
}

/** Null for a text that is not nodes. Nodes may be unfinished. */
export function readFragment(text: string): Fragment | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { data } = draftDefinitionSchema.safeParse(value);
  if (data === undefined || data.nodes.length === 0) return null;
  return { nodes: data.nodes, edges: data.edges, layout: data.layout ?? {} };
}
