import { expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problemWithKey } from "../../schema/contract/private-key.ts";

const refused = "deliver the matching private key";

/** Written by ssh-keygen, so that the forms are real. */
test.each([
  ["ed25519", "256"],
  ["rsa", "1024"],
  ["ecdsa", "256"],
])("a public %s key is refused in every form, and its private key is accepted", async (kind, bits) => {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-key-"));
  try {
    const file = join(directory, "key");
    const keygen = (...args: string[]) => Bun.spawnSync(["ssh-keygen", ...args]).stdout.toString();
    keygen("-q", "-t", kind, "-b", bits, "-N", "", "-f", file);
    keygen("-q", "-s", file, "-I", "ada", `${file}.pub`);
    const line = await readFile(`${file}.pub`, "utf8");
    const forms = [
      line,
      `from="10.0.0.0/8" ${line}`,
      await readFile(`${file}-cert.pub`, "utf8"),
      keygen("-e", "-m", "RFC4716", "-f", file),
    ];
    if (kind !== "ed25519") forms.push(keygen("-e", "-m", "PKCS8", "-f", file));
    for (const form of forms)
      expect({ form, problem: problemWithKey("privateKey", form) }).toMatchObject({
        problem: expect.stringContaining(refused),
      });
    expect(problemWithKey("privateKey", await readFile(file, "utf8"))).toBeNull();
    // Under another name a public key may be intended.
    expect(problemWithKey("HOST_KEY", line)).toBeNull();
  } finally {
    await rm(directory, { recursive: true });
  }
});

const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
const PRIVATE = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";

test.each<[string, string, string, string | null]>([
  ["a certificate", "privateKey", CERTIFICATE, "must not be a certificate"],
  ["a certificate before its private key", "PRIVATE_KEY", CERTIFICATE + PRIVATE, null],
  ["SSH2 with five dashes", "privateKey", "-----BEGIN SSH2 PUBLIC KEY-----", "must not be a public key"],
  ["a public key of RSA", "privateKey", "\ufeff\n-----BEGIN RSA PUBLIC KEY-----", "must not be a public key"],
  ["a key of a hardware token", "privateKey", "sk-ssh-ed25519@openssh.com AAAAGnNr", "must not be a public key"],
  ["a key of PuTTY, under any name", "key", "PuTTY-User-Key-File-3: ssh-rsa", "must be in PEM format, not PPK"],
  ["a text that begins like a key", "privateKey", "ssh-agent has it", null],
])("%s as %s", (_what, name, value, problem) => {
  const found = problemWithKey(name, value);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toStartWith(problem);
});
