/**
 * The storage key of the fingerprints that people compared with the output of the agent itself. Only this browser keeps
 * them. They are not secret, but a changed fingerprint must be noticed.
 */
const KEY = "bellhop-compared-fingerprints";

export type Comparison =
  /** No person compared this agent's fingerprint in this browser. */
  | "new"
  /** This fingerprint was compared in this browser. */
  | "compared"
  /** A different fingerprint was compared: the agent has a new key, or an attacker is in between. */
  | "changed";

/** The browser's storage, or a fake of a test. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export function comparisonOf(agentId: string, fingerprint: string, store: Store = localStorage): Comparison {
  const known = read(store)[agentId];
  if (known === undefined) return "new";
  return known === fingerprint ? "compared" : "changed";
}

/** The fingerprint that was compared before, or null. */
export function comparedBefore(agentId: string, store: Store = localStorage): string | null {
  return read(store)[agentId] ?? null;
}

export function rememberCompared(
  compared: readonly { agentId: string; fingerprint: string }[],
  store: Store = localStorage,
): void {
  const known = read(store);
  for (const { agentId, fingerprint } of compared) known[agentId] = fingerprint;
  try {
    store.setItem(KEY, JSON.stringify(known));
  } catch {
    // Without storage the next delivery asks again.
  }
}

function read(store: Store): Record<string, string> {
  try {
    const kept: unknown = JSON.parse(store.getItem(KEY) ?? "{}");
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(entries.flatMap(([id, value]) => (typeof value === "string" ? [[id, value]] : [])));
  } catch {
    return {};
  }
}
