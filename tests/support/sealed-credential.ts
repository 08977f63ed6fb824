import {
  createCipheriv,
  createHash,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
} from "node:crypto";
import type { Job, PublicKey } from "../../schema/contract/agent.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { CredentialTarget } from "../../schema/contract/credential-target.ts";
import type { JsonObject } from "../../schema/contract/json.ts";

const KEY_BITS = 256;

export interface SealOptions {
  /** Overrides the protected header, for JWEs that must be refused. */
  header?: Record<string, unknown>;
  /** The curve of the sender's ephemeral key. */
  curve?: "P-256" | "P-384";
}

/**
 * A compact JWE with ECDH-ES and A256GCM by RFC 7518 (4.6, 5.3), from the platform's cryptography alone: independent of
 * the agent's library. `plaintext` is encoded as JSON unless it is a string.
 */
export function sealFor(publicKey: PublicKey, plaintext: unknown, { header = {}, curve = "P-256" }: SealOptions = {}) {
  const ephemeral = generateKeyPairSync("ec", { namedCurve: curve });
  const { kty, crv, x, y } = ephemeral.publicKey.export({ format: "jwk" });
  const recipient = createPublicKey({ key: { ...publicKey }, format: "jwk" });
  const shared =
    curve === "P-256"
      ? diffieHellman({ privateKey: ephemeral.privateKey, publicKey: recipient })
      : randomBytes(KEY_BITS / 8);
  const protectedHeader = Buffer.from(
    JSON.stringify({ alg: "ECDH-ES", enc: "A256GCM", epk: { kty, crv, x, y }, ...header }),
  ).toString("base64url");
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", concatKdf(shared), nonce);
  cipher.setAAD(Buffer.from(protectedHeader, "ascii"));
  const text = typeof plaintext === "string" ? plaintext : JSON.stringify(plaintext);
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  const parts = [nonce, ciphertext, cipher.getAuthTag()].map((part) => part.toString("base64url"));
  return `${protectedHeader}..${parts.join(".")}`;
}

/** RFC 7518, 4.6.2, for the one key length that needs a single round. */
function concatKdf(shared: Buffer): Buffer {
  const algorithm = Buffer.from("A256GCM");
  return createHash("sha256")
    .update(
      Buffer.concat([uint32(1), shared, uint32(algorithm.length), algorithm, uint32(0), uint32(0), uint32(KEY_BITS)]),
    )
    .digest();
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** The content of a credentialSync job. A `jwe` of null is left out. */
export function syncJob(
  params: JsonObject,
  { id = "con_1", type = "ssh" }: { id?: string; type?: ConnectionType } = {},
): Partial<Job> {
  return {
    kind: "credentialSync",
    action: null,
    effect: "idempotent",
    connection: { id, type, config: {} },
    params,
  };
}

export interface Delivery {
  agentId: string;
  publicKey: PublicKey;
  connectionId?: string;
  type?: ConnectionType;
  version?: number;
  secrets: Record<string, string>;
  /** Sealed together with the secrets; older tools seal none. */
  target?: CredentialTarget;
}

/** The job that carries a sealed credential to the agent. */
export function deliveryJob({ connectionId = "con_1", type = "ssh", version = 1, ...to }: Delivery): Partial<Job> {
  const plaintext = { agentId: to.agentId, connectionId, version, secrets: to.secrets, target: to.target };
  return syncJob({ state: "present", version, jwe: sealFor(to.publicKey, plaintext) }, { id: connectionId, type });
}
