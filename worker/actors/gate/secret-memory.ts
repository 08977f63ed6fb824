import { BEARER } from "../../../schema/contract/webhook-verification.ts";
import { BoundedMap } from "../../domain/bounded-map.ts";
import { validOldSecrets } from "../../domain/old-secrets.ts";
import type { GateRequest, GateSettings, Verifiers } from "../../services/ports.ts";

const WRONG_DIGESTS_MAX = 1_000;

/** The verifiers that are valid now: those of old secrets only during their overlap. */
export function verifiersOf({ verification = BEARER, secretHash, oldSecret }: GateSettings, now: number): Verifiers {
  const old = validOldSecrets(oldSecret, now).map((each) => each.secretHash);
  return { verification, verifiers: [secretHash, ...old] };
}

/**
 * The digests of secrets that bcrypt has judged. Kept in memory only, so bcrypt runs once for each secret while the
 * object lives. A replaced hash clears everything (invariant 8). Signatures differ with each request, so the caller
 * checks each of them.
 */
export class SecretMemory {
  #verifiers = "";
  readonly #right = new Set<string>();
  readonly #wrong = new BoundedMap<string, true>(WRONG_DIGESTS_MAX);

  /** `unknown`: the caller must check the secret, outside the object. */
  judge(
    { by, secretDigest, verified }: Pick<GateRequest, "by" | "secretDigest" | "verified">,
    { verification, verifiers }: Verifiers,
  ): "right" | "wrong" | "unknown" {
    // Each webhook has one way to prove the secret: a secret that belongs into a header proves nothing in an address.
    if (by !== verification.type) return "wrong";
    const valid = verifiers.join("\n");
    if (valid !== this.#verifiers) this.#forget(valid);
    if (secretDigest !== null && this.#right.has(secretDigest)) return "right";
    if (secretDigest !== null && this.#wrong.has(secretDigest)) return "wrong";
    if (verified === undefined || verified.verifiers.join("\n") !== valid) return "unknown";
    if (secretDigest !== null && verified.matches) this.#right.add(secretDigest);
    if (secretDigest !== null && !verified.matches) this.#wrong.set(secretDigest, true);
    return verified.matches ? "right" : "wrong";
  }

  #forget(verifiers: string): void {
    this.#verifiers = verifiers;
    this.#right.clear();
    this.#wrong.clear();
  }
}
