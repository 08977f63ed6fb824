import type { GateRequest } from "../ports.ts";

const WRONG_DIGESTS_MAX = 1_000;

/**
 * Which secrets bcrypt has spoken on, by their digests: in memory only, so that each is asked about once while the
 * object lives. Everything is forgotten when the hash they were compared with is replaced (invariant 8).
 */
export class SecretMemory {
  #secretHash = "";
  readonly #right = new Set<string>();
  readonly #wrong = new Set<string>();

  /** `unknown` when bcrypt must be asked, outside the object. */
  judge(request: Pick<GateRequest, "secretDigest" | "verified">, secretHash: string): "right" | "wrong" | "unknown" {
    if (secretHash !== this.#secretHash) this.#forget(secretHash);
    const { secretDigest, verified } = request;
    if (this.#right.has(secretDigest)) return "right";
    if (this.#wrong.has(secretDigest)) return "wrong";
    if (verified === undefined || verified.secretHash !== secretHash) return "unknown";
    if (!verified.matches) this.#rememberWrong(secretDigest);
    else this.#right.add(secretDigest);
    return verified.matches ? "right" : "wrong";
  }

  #rememberWrong(digest: string): void {
    const [oldest] = this.#wrong;
    if (oldest !== undefined && this.#wrong.size >= WRONG_DIGESTS_MAX) this.#wrong.delete(oldest);
    this.#wrong.add(digest);
  }

  #forget(secretHash: string): void {
    this.#secretHash = secretHash;
    this.#right.clear();
    this.#wrong.clear();
  }
}
