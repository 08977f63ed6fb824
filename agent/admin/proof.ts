import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export const PROOF_PATH = "/v1/proof";

const SCHEME = "BellhopProof";
/** 32 bytes in base64url: the last character encodes four bits. */
const HEADER = /^BellhopProof ([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])\.([A-Za-z0-9_-]{43})$/u;
const NONCE_BYTES = 32;

/** Both ends of a TCP connection, each as `address:port`. No two open connections of a machine have the same ends. */
export interface Ends {
  agent: string;
  client: string;
}

export interface ProofOptions {
  token: string;
  ends: Ends;
}

export interface Challenge {
  /** The Authorization header of `GET /v1/proof`. */
  header: string;
  isAnsweredBy(proof: string): boolean;
}

/**
 * Asks the peer of a connection for proof that it has the admin token, and proves that this end has it. Neither proof
 * can be relayed over another connection, because both include the ends of this one.
 */
export function challenge(options: ProofOptions): Challenge {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return {
    header: `${SCHEME} ${nonce}.${proofOf("client", nonce, options)}`,
    isAnsweredBy: (proof) => isSame(proof, proofOf("agent", nonce, options)),
  };
}

/**
 * The agent's answer to a challenge. Null unless the header proves that the client has the token: otherwise any user of
 * the machine could get answers and guess short tokens offline.
 */
export function answerTo(header: string | null, options: ProofOptions): string | null {
  const [, nonce, proof] = HEADER.exec(header ?? "") ?? [];
  if (nonce === undefined || proof === undefined) return null;
  return isSame(proof, proofOf("client", nonce, options)) ? proofOf("agent", nonce, options) : null;
}

/** Compares in constant time. Digests have equal length. */
export function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function proofOf(by: "client" | "agent", nonce: string, { token, ends }: ProofOptions): string {
  return createHmac("sha256", token)
    .update(["bellhop admin proof 1", by, ends.agent, ends.client, nonce].join("\n"))
    .digest("base64url");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
