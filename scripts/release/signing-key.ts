import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";

export const KEY_VARIABLE = "BELLHOP_RELEASE_KEY";

/** The key that signs releases. The private half stays in here: it is never printed, and no child process gets it. */
export interface SigningKey {
  /** Base64 of the 32 raw bytes, the format of the agent, the install scripts and the Worker. */
  readonly publicKey: string;
  /** Base64 of the 64 raw bytes of the Ed25519 signature. */
  sign(bytes: Uint8Array): string;
}

/**
 * The key in BELLHOP_RELEASE_KEY: Ed25519 in PKCS#8, as PEM (also on one line with `
 * ` in it, as build services keep it) or as base64 of its DER. Null when it is unset or empty. Throws for any other
 * value, without showing a part of it.
 */
export function readSigningKey(environment: Readonly<Record<string, string | undefined>>): SigningKey | null {
  const text = (environment[KEY_VARIABLE] ?? "").trim();
  if (text === "") return null;
  const key = parseKey(text);
  if (key?.asymmetricKeyType !== "ed25519") {
    throw new Error(
      `${KEY_VARIABLE} is not an Ed25519 private key. Make one with: openssl genpkey -algorithm ed25519 -out release-key.pem; then set ${KEY_VARIABLE}="$(cat release-key.pem)".`,
    );
  }
  const { x = "" } = createPublicKey(key).export({ format: "jwk" });
  return {
    publicKey: Buffer.from(x, "base64url").toString("base64"),
    sign: (bytes) => sign(null, bytes, key).toString("base64"),
  };
}

/** Null for an invalid key; the parser's error is dropped, since it might show a part of the value. */
function parseKey(text: string): KeyObject | null {
  try {
    return text.startsWith("-----BEGIN")
      ? createPrivateKey(text.replaceAll("\\n", "\n"))
      : createPrivateKey({ key: Buffer.from(text, "base64"), format: "der", type: "pkcs8" });
  } catch {
    return null;
  }
}

/** This process's environment, for a child that does not need the key. */
export function environmentWithoutKey(): Record<string, string | undefined> {
  const { [KEY_VARIABLE]: _key, ...rest } = process.env;
  return rest;
}
