import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";

/** Changes that were not saved, as this browser keeps them. */
export interface Kept {
  /** Epoch ms. */
  at: number;
  /** The page that kept it; another tab's is not its to forget. */
  by?: string;
  /** Of the workflow that was changed; null of a new one. */
  revision: number | null;
  draft: Draft;
  /** What stood in the YAML beside it and could not be read yet. */
  text?: string;
}

/** One place per person and workflow: who signs in next at the same machine is not shown another's. */
export function keptKey(userId: string, workflowId: string | null): string {
  return `bellhop-draft ${userId} ${workflowId ?? "new"}`;
}

/** What is kept; null for nothing, and for what cannot be read any more. */
export function readKept(storage: Storage, key: string): Kept | null {
  try {
    const text = storage.getItem(key);
    if (text === null) return null;
    const kept: Kept = JSON.parse(text);
    const { nodes, edges } = kept.draft.definition;
    const isKept = Array.isArray(nodes) && Array.isArray(edges) && typeof kept.draft.trigger.type === "string";
    return isKept && Number.isFinite(kept.at) ? kept : null;
  } catch {
    return null;
  }
}

/** False where this browser keeps nothing: it is full, or told not to. */
export function writeKept(storage: Storage, key: string, kept: Kept): boolean {
  try {
    storage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Forgets what this page kept, and what says nothing else than `saved`; what another tab keeps stays. */
export function dropOwn(storage: Storage, key: string, by: string, saved: Draft): void {
  const kept = readKept(storage, key);
  if (kept === null || kept.by === by || (kept.text === undefined && isSameDraft(kept.draft, saved))) {
    dropKept(storage, key);
  }
}

export function dropKept(storage: Storage, key: string): void {
  try {
    storage.removeItem(key);
  } catch {
    // Then there was nothing to drop.
  }
}
