/**
 * The fingerprints that people compared with what the agent itself prints, kept in this browser alone. They are no
 * secrets; what matters is that a fingerprint that changes does not go unnoticed.
 */
const KEY = "bellhop-compared-fingerprints";

export type Comparison =
  /** Nobody compared this agent's fingerprint here. */
  | "new"
  /** This very one was compared here. */
  | "compared"
  /** Another one was: the agent has a new key, or somebody stands in between. */
  | "changed";

/** The browser's, or a test's. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export function comparisonOf(agentId: string, fingerprint: string, store: Store = localStorage): Comparison {
  const known = read(store)[agentId];
  if (known === undefined) return "new";
  return known === fingerprint ? "compared" : "changed";
}

/** The fingerprint that was compared before; null when none was. */
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
    // A browser that keeps nothing asks again next time.
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
