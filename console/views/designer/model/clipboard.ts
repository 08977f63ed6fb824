import { definitionSchema } from "../../../../schema/contract/workflow.ts";
import type { Fragment } from "./fragment.ts";

let copied: { text: string; fragment: Fragment } | null = null;

/** Nodes as plain text for the clipboard, so that they can be pasted into another workflow, window or a chat. */
export function writeFragment(fragment: Fragment): string {
  const text = JSON.stringify({ nodes: fragment.nodes, edges: fragment.edges, layout: fragment.layout }, null, 2);
  copied = { text, fragment };
  return text;
}

/** Null for a text that is not nodes. Nodes copied in this page may be unfinished; others must match the schema. */
export function readFragment(text: string): Fragment | null {
  if (copied !== null && copied.text === text) return copied.fragment;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  const { data } = definitionSchema.safeParse(value);
  return data === undefined ? null : { nodes: data.nodes, edges: data.edges, layout: data.layout ?? {} };
}
