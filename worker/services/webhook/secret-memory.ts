import { BoundedMap } from "../../actors/kit/bounded-map.ts";
import type { GateRequest } from "../ports.ts";

const WRONG_DIGESTS_MAX = 1_000;

/**
 * Which secrets bcrypt has spoken on, by their digests: in memory only, so that each is asked about once while the
 * object lives. Everything is forgotten when the hash they were compared with is replaced (invariant 8).
 */
export class SecretMemory {
  #secretHash = "";
  readonly #right = new Set<string>();
  readonly #wrong = new BoundedMap<string, true>(WRONG_DIGESTS_MAX);

  /** `unknown` when bcrypt must be asked, outside the object. */
  judge(request: Pick<GateRequest, "secretDigest" | "verified">, secretHash: string): "right" | "wrong" | "unknown" {
    if (secretHash !== this.#secretHash) this.#forget(secretHash);
    const { secretDigest, verified } = request;
    if (this.#right.has(secretDigest)) return "right";
    if (this.#wrong.has(secretDigest)) return "wrong";
    if (verified === undefined || verified.secretHash !== secretHash) return "unknown";
    if (verified.matches) this.#right.add(secretDigest);
    else this.#wrong.set(secretDigest, true);
    return verified.matches ? "right" : "wrong";
  }

  #forget(secretHash: string): void {
    this.#secretHash = secretHash;
    this.#right.clear();
    this.#wrong.clear();
  }
}
