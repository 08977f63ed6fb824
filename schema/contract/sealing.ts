import type { Recipient, Secrets } from "./credential.ts";
import { MANAGEMENT_BODY_MAX_BYTES } from "../limits.ts";

/**
 * What a sealed credential is made of (design 6), for everything that seals one: the console in the browser, and
 * `npm run deliver`. The encryption itself is a JOSE library's, as a compact JWE.
 */
export function sealedHeader({ fingerprint }: Pick<Recipient, "fingerprint">) {
  return { alg: "ECDH-ES", enc: "A256GCM", kid: fingerprint } as const;
}

/** The text to encrypt to one recipient: an agent refuses what does not name it, this connection and this
 * version, and uses it for this target alone. */
export function sealedPlaintext(
  { agentId, version, target }: Pick<Recipient, "agentId" | "version" | "target">,
  connectionId: string,
  secrets: Secrets,
): string {
  return JSON.stringify({ agentId, connectionId, version, target, secrets });
}

const REQUEST_MAX_CHARS = MANAGEMENT_BODY_MAX_BYTES - 65_536;
const ENTRY_CHARS = 200;
const REQUEST_MAX_ENTRIES = 1_000;

/** Large credentials for many agents go in several requests: one may have 4 MiB and 1,000 entries. */
export function sealedRequests<T extends { jwe: string }>(sealed: readonly T[]): T[][] {
  const requests: T[][] = [];
  let room = 0;
  for (const one of sealed) {
    if (one.jwe.length + ENTRY_CHARS > room || requests.at(-1)?.length === REQUEST_MAX_ENTRIES) {
      requests.push([]);
      room = REQUEST_MAX_CHARS;
    }
    requests.at(-1)?.push(one);
    room -= one.jwe.length + ENTRY_CHARS;
  }
  return requests;
}
