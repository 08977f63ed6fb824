import type { Draft } from "../model/commands.ts";
import { isSameDraft } from "../model/same.ts";

/** Unsaved changes in this browser's storage. */
export interface Kept {
  /** Epoch ms. */
  at: number;
  /** The id of the page that stored it: only that page may drop it. */
  by?: string;
  /** The revision of the changed workflow. */
  revision: number;
  draft: Draft;
  /** YAML text that could not be read yet. */
  text?: string;
}

/** One key per person and workflow: another person at the same machine does not see the changes. */
export function keptKey(userId: string, workflowId: string): string {
  return `bellhop-draft ${userId} ${workflowId}`;
}

/** The stored changes; null without any, and when they can no longer be read. */
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

/** False when the browser's storage is full or disabled. */
export function writeKept(storage: Storage, key: string, kept: Kept): boolean {
  try {
    storage.setItem(key, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Drops the changes that this page stored, or that equal `saved`. Changes of another tab stay. */
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
    // Storage is disabled: nothing is stored.
  }
}
