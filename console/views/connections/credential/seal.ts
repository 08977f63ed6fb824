import { CompactEncrypt, calculateJwkThumbprint, importJWK } from "jose";
import type { Recipient, Secrets } from "../../../../schema/contract/credential.ts";
import { sealedHeader, sealedPlaintext } from "../../../../schema/contract/sealing.ts";

export interface Sealed {
  agentId: string;
  jwe: string;
  version: number;
}

/** Encrypts secrets to one agent, in this browser: what comes out of here is all that leaves it (design 6). */
export async function sealTo(recipient: Recipient, connectionId: string, secrets: Secrets): Promise<Sealed> {
  const { agentId, publicKey, version } = recipient;
  const jwe = await new CompactEncrypt(new TextEncoder().encode(sealedPlaintext(recipient, connectionId, secrets)))
    .setProtectedHeader(sealedHeader(recipient))
    .encrypt(await importJWK(publicKey, "ECDH-ES"));
  return { agentId, jwe, version };
}

/** The fingerprint of the key that will be sealed to, computed here: what the service says of it is not believed. */
export function fingerprintOf({ publicKey }: Pick<Recipient, "publicKey">): Promise<string> {
  return calculateJwkThumbprint(publicKey, "sha256");
}
