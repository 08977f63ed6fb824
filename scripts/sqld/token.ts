import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";

/** What opens a database of sqld. */
export interface SqldToken {
  /** Verifies the token: DER in base64. Public. */
  publicKey: string;
  /** A JWT that may read and write, and never expires, because the Worker cannot renew it. */
  token: string;
}

/** The private key is dropped: only a new pair makes another token. */
export function makeToken(): SqldToken {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const signed = [{ alg: "EdDSA", typ: "JWT" }, { a: "rw" }].map(inBase64).join(".");
  const signature = sign(null, Buffer.from(signed), privateKey).toString("base64url");
  return {
    publicKey: publicKey.export({ type: "spki", format: "der" }).toString("base64"),
    token: `${signed}.${signature}`,
  };
}

/** Writes the public key as PEM, for `jwtKeyFile` of `startSqld`. */
export function writeKeyFile(file: string, publicKey: string): void {
  writeFileSync(file, `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----\n`, { mode: 0o600 });
}

function inBase64(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
