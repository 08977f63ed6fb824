import { IssuerKeys, readKeySet } from "./issuer-keys.ts";
import { readMetadata } from "./metadata.ts";
import type { IssuerMetadata } from "./metadata.ts";

const METADATA_KEEP_MS = 10 * 60_000;

/** An issuer's metadata and keys, in the memory of one isolate. */
export class Issuer {
  readonly keys: IssuerKeys;
  readonly #issuer: string;
  #metadata: { value: IssuerMetadata; readAt: number } | null = null;

  constructor(issuer: string) {
    this.#issuer = issuer;
    this.keys = new IssuerKeys(async (now) => readKeySet((await this.metadata(now)).jwks_uri));
  }

  async metadata(now: number): Promise<IssuerMetadata> {
    const known = this.#metadata;
    if (known !== null && now < known.readAt + METADATA_KEEP_MS) return known.value;
    const value = await readMetadata(this.#issuer);
    this.#metadata = { value, readAt: now };
    return value;
  }
}

const issuers = new Map<string, Issuer>();

/** One per isolate: a deployment has one issuer. */
export function issuerOf(issuer: string): Issuer {
  const known = issuers.get(issuer) ?? new Issuer(issuer);
  issuers.set(issuer, known);
  return known;
}
