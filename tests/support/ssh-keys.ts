import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TestKey {
  name: string;
  privateKey: string;
  publicKey: string;
  passphrase?: string;
}

const PASSPHRASE = "open, sesame é";

interface Recipe {
  name: string;
  type: readonly string[];
  format?: string;
  encrypted?: true;
  /** Arguments for openssl, which writes formats that ssh-keygen cannot. */
  pkcs8?: readonly string[];
}

/** Formats that tools and cloud consoles use for private keys, written by `ssh-keygen` and `openssl`. */
const RECIPES: readonly Recipe[] = [
  { name: "Ed25519, OpenSSH", type: ["ed25519"] },
  { name: "Ed25519, OpenSSH, encrypted", type: ["ed25519"], encrypted: true },
  { name: "RSA, OpenSSH", type: ["rsa", "-b", "2048"] },
  { name: "RSA, PEM (PKCS#1)", type: ["rsa", "-b", "2048"], format: "PEM" },
  { name: "RSA, PEM (PKCS#1), encrypted", type: ["rsa", "-b", "2048"], format: "PEM", encrypted: true },
  { name: "RSA, PKCS#8", type: ["rsa", "-b", "2048"], format: "PKCS8" },
  { name: "RSA, PKCS#8, encrypted", type: ["rsa", "-b", "2048"], format: "PKCS8", encrypted: true },
  { name: "ECDSA P-256, PEM (SEC1)", type: ["ecdsa", "-b", "256"], format: "PEM" },
  { name: "ECDSA P-256, PKCS#8", type: ["ecdsa", "-b", "256"], format: "PKCS8" },
  { name: "ECDSA P-384, PKCS#8", type: ["ecdsa", "-b", "384"], format: "PKCS8" },
  { name: "ECDSA P-521, PKCS#8, encrypted", type: ["ecdsa", "-b", "521"], format: "PKCS8", encrypted: true },
  { name: "Ed25519, PKCS#8", type: ["ed25519"], pkcs8: [] },
  { name: "Ed25519, PKCS#8, encrypted", type: ["ed25519"], pkcs8: ["-aes256"], encrypted: true },
];

/** A key pair in each form. */
export function makeKeys(): Promise<TestKey[]> {
  return Promise.all(RECIPES.map(fromRecipe));
}

/** An Ed25519 key pair. */
export function makeKey(): Promise<TestKey> {
  return fromRecipe({ name: "Ed25519", type: ["ed25519"] });
}

async function fromRecipe(recipe: Recipe): Promise<TestKey> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-keys-"));
  try {
    return await writeKey(recipe, join(directory, "key"));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function writeKey({ name, type, format, encrypted, pkcs8 }: Recipe, file: string): Promise<TestKey> {
  const secret = encrypted === true ? { passphrase: PASSPHRASE } : {};
  if (pkcs8 !== undefined) {
    const pass = encrypted === true ? ["-pass", `pass:${PASSPHRASE}`] : [];
    await run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", file, ...pkcs8, ...pass]);
    const der = await run([
      "openssl",
      "pkey",
      "-in",
      file,
      "-pubout",
      "-outform",
      "DER",
      ...(encrypted === true ? ["-passin", `pass:${PASSPHRASE}`] : []),
    ]);
    return { name, privateKey: await readFile(file, "utf8"), publicKey: ed25519Line(der), ...secret };
  }
  const options = ["-N", encrypted === true ? PASSPHRASE : "", ...(format === undefined ? [] : ["-m", format])];
  await run(["ssh-keygen", "-q", "-t", ...type, ...options, "-f", file]);
  return {
    name,
    privateKey: await readFile(file, "utf8"),
    publicKey: await readFile(`${file}.pub`, "utf8"),
    ...secret,
  };
}

/** The last 32 bytes of the DER form are the key itself. */
function ed25519Line(der: Buffer): string {
  const field = (bytes: Buffer): Buffer => {
    const size = Buffer.alloc(4);
    size.writeUInt32BE(bytes.length);
    return Buffer.concat([size, bytes]);
  };
  const blob = Buffer.concat([field(Buffer.from("ssh-ed25519")), field(der.subarray(-32))]);
  return `ssh-ed25519 ${blob.toString("base64")}`;
}

async function run(command: string[]): Promise<Buffer> {
  const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return Buffer.from(stdout);
}
