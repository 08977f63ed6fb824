/**
 * The storage key of the fingerprints that a person compared with the output of the agent itself. Only this browser
 * keeps them. They are not secret, but a changed fingerprint must be noticed.
 */
const KEY = "bellhop-compared-fingerprints";

/** The browser's storage, or a fake of a test. */
export interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** The storage of one person: a comparison of another person who uses this browser does not count. */
export function storeOf(actor: string, browser: Store = localStorage): Store {
  const own = (key: string) => `${key} ${actor}`;
  return { getItem: (key) => browser.getItem(own(key)), setItem: (key, value) => browser.setItem(own(key), value) };
}

/** The fingerprints that a person compared in this browser, by agent. */
export type Compared = Readonly<Record<string, string>>;

/** What is known about an agent's key. */
export interface KeyState {
  /** The service's fingerprint does not match the key that it sent. */
  isForged: boolean;
  /** This fingerprint was compared in this browser. */
  isCompared: boolean;
  /** Another fingerprint was compared before: the agent has a new key, or an attacker is in between. */
  former: string | null;
}

/** `computed`: the fingerprint of the key that would be used for sealing. A comparison counts for no other one. */
export function keyStateOf(
  { agentId, fingerprint, computed }: { agentId: string; fingerprint: string; computed: string },
  compared: Compared,
): KeyState {
  const known = compared[agentId] ?? null;
  const isForged = computed !== fingerprint;
  return { isForged, isCompared: !isForged && known === computed, former: known === computed ? null : known };
}

/** Adds fingerprints to those that are kept, and returns all. Without storage the next delivery asks again. */
export function rememberCompared(
  known: Compared,
  compared: readonly { agentId: string; computed: string }[],
  store: Store,
): Compared {
  const all = { ...known, ...Object.fromEntries(compared.map(({ agentId, computed }) => [agentId, computed])) };
  try {
    store.setItem(KEY, JSON.stringify(all));
  } catch {
    // The dialog keeps them until it is closed.
  }
  return all;
}

export function readCompared(store: Store): Compared {
  try {
    const kept: unknown = JSON.parse(store.getItem(KEY) ?? "{}");
    const entries = typeof kept === "object" && kept !== null ? Object.entries(kept) : [];
    return Object.fromEntries(entries.flatMap(([id, value]) => (typeof value === "string" ? [[id, value]] : [])));
  } catch {
    return {};
  }
}
