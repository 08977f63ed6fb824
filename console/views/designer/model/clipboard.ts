import { definitionSchema } from "../../../../schema/contract/workflow.ts";
import type { Fragment } from "./fragment.ts";

let copied: { text: string; fragment: Fragment } | null = null;

/** The clipboard holds plain text, so that nodes can be pasted into another workflow, another window, and a chat. */
export function writeFragment(fragment: Fragment): string {
  const text = JSON.stringify({ nodes: fragment.nodes, edges: fragment.edges, layout: fragment.layout }, null, 2);
  copied = { text, fragment };
  return text;
}

/** Null for any text that is no nodes. What was copied here may be unfinished; what comes from elsewhere is checked. */
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
