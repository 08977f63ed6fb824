import { createPrivateKey, type KeyObject } from "node:crypto";
import { type ParsedKey, utils } from "ssh2";
import { problemWithKey } from "../../../schema/contract/private-key.ts";
import { ExecutorFailure, errorMessage } from "../shared/failures.ts";

/** Reads a private key. Throws `invalid_credential`. */
export function readPrivateKey(text: string, passphrase: string | undefined): ParsedKey {
  try {
    return parsePrivateKey(text, passphrase);
  } catch (error) {
    if (!(error instanceof UnusableKey)) throw error;
    const message = `The connection's private key cannot be used. ${error.message}. Deliver the credential again.`;
    throw new ExecutorFailure("invalid_credential", message, null, { cause: error });
  }
}

/** The check before a key is stored: why it cannot be used; null when it can. */
export function problemWithPrivateKey(text: string, passphrase: string | undefined): string | null {
  try {
    parsePrivateKey(text, passphrase);
    return null;
  } catch (error) {
    if (error instanceof UnusableKey) return `The private key cannot be used. ${error.message}`;
    throw error;
  }
}

/** The message is a sentence without its full stop. */
class UnusableKey extends Error {}

/**
 * ssh2 reads OpenSSH's format and the traditional PEM of each algorithm. PKCS#8 (`BEGIN PRIVATE KEY`), which openssl
 * and cloud consoles write, is converted. Throws UnusableKey.
 */
function parsePrivateKey(text: string, passphrase: string | undefined): ParsedKey {
  const pem = tidy(text);
  refuseOtherFormats(pem);
  const pkcs8 = /^-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/u.test(pem);
  const key = pkcs8 ? utils.parseKey(fromPkcs8(pem, passphrase)) : utils.parseKey(pem, passphrase);
  if (key instanceof Error) throw invalidKey(explain(key.message, passphrase), key);
  if (!key.isPrivateKey()) throw invalidKey("It is a public key. Deliver the matching private key");
  return key;
}

/** Repairs a key's line breaks after forms, environment variables and Windows editors. */
function tidy(text: string): string {
  const lines = text.includes("\n") ? text : text.replaceAll("\\n", "\n");
  return `${lines.replaceAll(/\r\n?/gu, "\n").trim()}\n`;
}

function refuseOtherFormats(pem: string): void {
  const problem = problemWithKey("privateKey", pem);
  if (problem !== null) throw invalidKey(`It ${problem}`);
  if (!pem.startsWith("-----BEGIN ")) {
    throw invalidKey("It is not in PEM format: the first line must be -----BEGIN ... PRIVATE KEY-----");
  }
}

function fromPkcs8(pem: string, passphrase: string | undefined): string {
  const encrypted = pem.startsWith("-----BEGIN ENCRYPTED");
  if (encrypted && passphrase === undefined) throw invalidKey(explain("no passphrase given", undefined));
  let key: KeyObject;
  try {
    key = createPrivateKey(encrypted ? { key: pem, passphrase } : pem);
  } catch (error) {
    throw invalidKey(encrypted ? explain("bad passphrase", passphrase) : errorMessage(error), error);
  }
  switch (key.asymmetricKeyType) {
    case "rsa":
      return key.export({ type: "pkcs1", format: "pem" }).toString();
    case "ec":
      return key.export({ type: "sec1", format: "pem" }).toString();
    case "ed25519":
      return openSshEd25519(key);
    default:
      throw invalidKey(`Keys of type ${key.asymmetricKeyType} cannot be used with SSH: use Ed25519, RSA or ECDSA`);
  }
}

/** OpenSSH's PROTOCOL.key, unencrypted: the only format in which ssh2 reads an Ed25519 key. */
function openSshEd25519(key: KeyObject): string {
  const { d, x } = key.export({ format: "jwk" });
  if (d === undefined || x === undefined) throw invalidKey("It holds no Ed25519 key");
  const publicKey = Buffer.from(x, "base64url");
  const publicBlob = Buffer.concat([field("ssh-ed25519"), field(publicKey)]);
  const secret = Buffer.concat([
    // Two equal numbers, by which a reader checks the decryption. Nothing is encrypted here.
    Buffer.alloc(8),
    publicBlob,
    field(Buffer.concat([Buffer.from(d, "base64url"), publicKey])),
    field(""),
  ]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secret.length % 8)) % 8));
  const file = Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    field("none"),
    field("none"),
    field(""),
    uint32(1),
    field(publicBlob),
    field(Buffer.concat([secret, padding])),
  ]);
  const lines = file.toString("base64").match(/.{1,70}/gu) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}

function field(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** ssh2 and node:crypto report a wrong passphrase through different errors. */
function explain(message: string, passphrase: string | undefined): string {
  if (/no passphrase given/iu.test(message)) return "It is encrypted, and no passphrase was delivered with it";
  if (passphrase !== undefined && /passphrase|integrity|decrypt/iu.test(message)) {
    return "The passphrase delivered with it does not open it";
  }
  return message;
}

function invalidKey(why: string, cause?: unknown): UnusableKey {
  return new UnusableKey(why, { cause });
}
