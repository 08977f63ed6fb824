import { AGENT_KEY_CACHE_ENTRIES, AGENT_KEY_CACHE_TTL_MS } from "../../../schema/limits.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";

/** The agent that a verified key belongs to. */
export interface VerifiedAgent {
  readonly agentId: string;
  /** The agent's epoch at the verification. A dispatcher that knows a newer one refuses the call (invariant 8). */
  readonly epoch: number;
}

interface Entry {
  readonly value: VerifiedAgent | null;
  readonly verifiedAt: number;
}

/** A key that libSQL does not know is not looked up again for this long: an agent with a revoked key polls for ever. */
const REFUSED_TTL_MS = 10_000;

/**
 * Agent keys that were checked against their bcrypt hashes, by digest: 1,000 entries for 5 minutes
 * (docs/design/agent-protocol.md#admission). The least recently used goes first. Refused keys are remembered for
 * seconds.
 */
export class AgentKeyCache {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(maxEntries = AGENT_KEY_CACHE_ENTRIES) {
    this.#entries = new BoundedMap(maxEntries);
  }

  /** Null for a key that was refused a moment ago; undefined for an unknown key. `now` is epoch milliseconds. */
  get(keyDigest: string, now: number): VerifiedAgent | null | undefined {
    const entry = this.#entries.get(keyDigest);
    if (entry === undefined) return undefined;
    const ttlMs = entry.value === null ? REFUSED_TTL_MS : AGENT_KEY_CACHE_TTL_MS;
    if (now - entry.verifiedAt >= ttlMs) {
      this.#entries.delete(keyDigest);
      return undefined;
    }
    // Inserted again, so that the map is in the order of use.
    this.#entries.set(keyDigest, entry);
    return entry.value;
  }

  set(keyDigest: string, value: VerifiedAgent | null, now: number): void {
    this.#entries.set(keyDigest, { value, verifiedAt: now });
  }

  get size(): number {
    return this.#entries.size;
  }
}
