import { CompactEncrypt, calculateJwkThumbprint, importJWK } from "jose";
import type { Recipient, Secrets } from "./credential.ts";
import { MANAGEMENT_BODY_MAX_BYTES } from "../limits.ts";

/** Available in browsers and in Bun. */
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** A credential for one agent, as `POST …/credentials` accepts it. */
export interface Sealed {
  agentId: string;
  jwe: string;
  version: number;
}

/**
 * Encrypts secrets for one agent (docs/design/credentials.md#sealing). The agent refuses a credential with another
 * agent, connection or version, and uses it only for this target. The header names the key that was actually used, so a
 * service that shows one key's fingerprint and sends another key is detected.
 */
export async function sealTo(recipient: Recipient, connectionId: string, secrets: Secrets): Promise<Sealed> {
  const { agentId, publicKey, version, target } = recipient;
  const plaintext = JSON.stringify({ agentId, connectionId, version, target, secrets });
  const jwe = await new CompactEncrypt(new TextEncoder().encode(plaintext))
    .setProtectedHeader({ alg: "ECDH-ES", enc: "A256GCM", kid: await fingerprintOf(recipient) })
    .encrypt(await importJWK(publicKey, "ECDH-ES"));
  return { agentId, jwe, version };
}

/** The fingerprint of the key to seal to (RFC 7638), computed here: the service's own fingerprint is not trusted. */
export function fingerprintOf({ publicKey }: Pick<Recipient, "publicKey">): Promise<string> {
  return calculateJwkThumbprint(publicKey, "sha256");
}

const REQUEST_MAX_CHARS = MANAGEMENT_BODY_MAX_BYTES - 65_536;
const ENTRY_CHARS = 200;
const REQUEST_MAX_ENTRIES = 1_000;

/** Large credentials for many agents need several requests: one may have 4 MiB and 1,000 entries. */
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
