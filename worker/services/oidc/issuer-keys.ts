import { createLocalJWKSet } from "jose";
import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import { fetchJson, issuerUnavailable } from "./fetch-json.ts";

const KEYS_KEEP_MS = 10 * 60_000;
/** How long older keys are used while the issuer does not answer. */
const STALE_KEEP_MS = 60 * 60_000;
const SEARCH_COOL_DOWN_MS = 30_000;
/** On this platform requests cannot wait for each other's fetch, so at a cold start each fetches, within this limit. */
const READS_WINDOW_MS = 5_000;
const READS_PER_WINDOW = 8;

export type KeySet = ReturnType<typeof createLocalJWKSet>;

/**
 * An issuer's public keys, in the memory of one isolate. They are read again when they are old, and once when a token
 * names an unknown key; then not for half a minute, so that made-up key ids cannot flood the issuer. Reads are counted
 * when they begin, because an aborted request never reports its end.
 */
export class IssuerKeys {
  readonly #read: (now: number) => Promise<KeySet>;
  #keys: { set: KeySet; readAt: number } | null = null;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #reads: readonly number[] = [];

  constructor(read: (now: number) => Promise<KeySet>) {
    this.#read = read;
  }

  /** The current keys. Throws `unavailable` when there are none. */
  async current(now: number): Promise<KeySet> {
    const known = this.#keys;
    if (known !== null && now < known.readAt + KEYS_KEEP_MS) return known.set;
    const usable = known !== null && now < known.readAt + STALE_KEEP_MS ? known.set : null;
    // Old keys are used while one request reads new ones, or while the issuer is away.
    if (usable !== null && this.#readsSince(now - READS_WINDOW_MS).length > 0) return usable;
    try {
      return await this.#readAgain(now);
    } catch (error) {
      if (usable !== null) return usable;
      throw error;
    }
  }

  /** Reads the keys again for a token with an unknown key; null when they were just read for another one. */
  async searchAgain(now: number): Promise<KeySet | null> {
    if (now < this.#searchedAt + SEARCH_COOL_DOWN_MS) return null;
    const set = await this.#readAgain(now);
    this.#searchedAt = now;
    return set;
  }

  async #readAgain(now: number): Promise<KeySet> {
    const reads = this.#readsSince(now - READS_WINDOW_MS);
    if (reads.length >= READS_PER_WINDOW) throw issuerUnavailable("too many requests are reading its keys");
    this.#reads = [...reads, now];
    const set = await this.#read(now);
    this.#keys = { set, readAt: now };
    return set;
  }

  #readsSince(time: number): readonly number[] {
    return this.#reads.filter((startedAt) => startedAt > time);
  }
}

/** Keys of other kinds are left out one by one: a malformed one must not make the others unusable. */
const publicKeySchema = z.looseObject({ kty: z.enum(["RSA", "EC", "OKP"]), kid: z.string().optional() });
const keySetSchema = z.object({ keys: z.array(z.unknown()) });

/** Reads the key set at `jwks_uri` (RFC 7517, 5). */
export async function readKeySet(jwksUri: string): Promise<KeySet> {
  const { status, body } = await fetchJson(jwksUri);
  const parsed = keySetSchema.safeParse(body);
  if (status !== 200 || !parsed.success) throw issuerUnavailable(`its key set is not usable (HTTP ${status})`);
  const keys: JSONWebKeySet["keys"] = parsed.data.keys.flatMap((key) => {
    const known = publicKeySchema.safeParse(key);
    return known.success ? [known.data] : [];
  });
  return createLocalJWKSet({ keys });
}
