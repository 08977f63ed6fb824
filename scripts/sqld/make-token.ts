import { generateKeyPairSync, sign } from "node:crypto";

/**
 * A key pair for one database of sqld. sqld verifies with the public key (PEM, `jwtKeyFile` of `startSqld`) that the
 * token may read and write. The private key is dropped: only a new pair makes another token. The token never expires,
 * because the Worker cannot renew it.
 */
export function makeToken(): { publicKey: string; token: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = [{ alg: "EdDSA", typ: "JWT" }, { a: "rw" }].map(inBase64).join(".");
  const signature = sign(null, Buffer.from(signed), privateKey).toString("base64url");
  return { publicKey: publicKey.export({ type: "spki", format: "pem" }), token: `${signed}.${signature}` };
}

function inBase64(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
