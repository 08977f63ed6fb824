import { AGENT_KEY_CACHE_ENTRIES, AGENT_KEY_CACHE_TTL_MS } from "../../../schema/limits.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";

/** What a verified key stands for. */
export interface VerifiedAgent {
  readonly agentId: string;
  /** The agent's epoch when its key was verified: its dispatcher refuses it once it knows a newer one (invariant 8). */
  readonly epoch: number;
}

interface Entry {
  readonly value: VerifiedAgent | null;
  readonly verifiedAt: number;
}

/** A key that libSQL does not know is not asked for again at once: an agent with a revoked key polls on for ever. */
const REFUSED_TTL_MS = 10_000;

/**
 * Agent keys that were checked against their bcrypt hashes, by digest: 1,000 entries for 5 minutes
 * (docs/design/agent-protocol.md#admission). The longest unused goes first. Refused keys are remembered for seconds.
 */
export class AgentKeyCache {
  readonly #entries: BoundedMap<string, Entry>;

  constructor(maxEntries = AGENT_KEY_CACHE_ENTRIES) {
    this.#entries = new BoundedMap(maxEntries);
  }

  /** Null for a key that was refused a moment ago; undefined when nothing is known. `now` is epoch milliseconds. */
  get(keyDigest: string, now: number): VerifiedAgent | null | undefined {
    const entry = this.#entries.get(keyDigest);
    if (entry === undefined) return undefined;
    const ttlMs = entry.value === null ? REFUSED_TTL_MS : AGENT_KEY_CACHE_TTL_MS;
    if (now - entry.verifiedAt >= ttlMs) {
      this.#entries.delete(keyDigest);
      return undefined;
    }
    // Put in anew, so that the map's order is that of use.
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
