import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, readdir, rm, stat, writeFile } from "node:fs/promises";
import { z } from "zod";
import { fingerprintOf } from "../../agent/vault/crypto.ts";
import { secretsIn } from "../support/bound-credential.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { VaultHome } from "./vault-home.ts";
import type { VaultOnDisk } from "./vault-home.ts";

let home: VaultHome;
beforeEach(async () => {
  home = await VaultHome.make();
});
afterEach(() => home.remove());

const bytes = (base64: string) => Buffer.from(base64, "base64");

/** AES-256-GCM under the key of docs/design/credentials.md#vault, with the platform's own cryptography. */
async function decrypt(file: VaultOnDisk, apiKey: string, sealed: { nonce: string; ciphertext: string }, aad: string) {
  const material = await crypto.subtle.importKey("raw", Buffer.from(apiKey), "PBKDF2", false, ["deriveKey"]);
  const key = await crypto.subtle.deriveKey(
    { name: "PBKDF2", hash: "SHA-256", salt: bytes(file.salt), iterations: 600_000 },
    material,
    { name: "AES-GCM", length: 256 },
    false,
    ["decrypt"],
  );
  const parameters = { name: "AES-GCM", iv: bytes(sealed.nonce), additionalData: Buffer.from(aad) };
  return Buffer.from(await crypto.subtle.decrypt(parameters, key, bytes(sealed.ciphertext))).toString();
}

describe("the vault file", () => {
  test("opens with the agent key alone, as docs/design/credentials.md#vault says", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "pässword" } }, 4);
    const file = await home.onDisk();
    expect(file.iterations).toBe(600_000);
    expect(bytes(file.salt)).toHaveLength(16);
    expect(file.agentKeyPrefix).toBe("bhTestAgent1");
    const [entry] = file.credentials;
    expect(entry).toMatchObject({ connectionId: "con_1", version: 4, updatedAt: "2026-11-21T10:00:00.000Z" });
    expect(bytes(entry?.nonce ?? "")).toHaveLength(12);
    expect(JSON.parse(await decrypt(file, FAKE_AGENT_KEY, entry ?? { nonce: "", ciphertext: "" }, "con_1"))).toEqual({
      version: 4,
      secrets: { password: "pässword" },
    });
  });

  test("has the private key for its public key, encrypted", async () => {
    const vault = await home.open();
    const file = await home.onDisk();
    const jwk = z
      .object({ x: z.string(), y: z.string(), d: z.string() })
      .parse(JSON.parse(await decrypt(file, FAKE_AGENT_KEY, file.privateKey, "agent:private-key")));
    expect({ kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y }).toEqual(file.publicKey);
    expect(vault.publicKey).toEqual(file.publicKey);
    expect(await home.text()).not.toContain(jwk.d);
  });

  test("ties each secret to its connection", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } });
    const file = await home.onDisk();
    const [entry = { nonce: "", ciphertext: "" }] = file.credentials;
    await expect(decrypt(file, FAKE_AGENT_KEY, entry, "con_2")).rejects.toThrow();
  });

  test("never reuses a nonce", async () => {
    const vault = await home.open();
    const nonces = new Set<string>();
    for (let index = 0; index < 20; index++) {
      await vault.put(`con_${index % 2}`, { secrets: { password: "same" } });
      const file = await home.onDisk();
      nonces.add(file.privateKey.nonce);
      for (const { nonce } of file.credentials) nonces.add(nonce);
    }
    // Each of 20 writes has a new nonce for the private key and for one credential.
    expect(nonces.size).toBe(20 + 20);
  });

  test("is readable by its owner only, without leftover temporary files", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } });
    expect((await stat(home.path)).mode & 0o777).toBe(0o600);
    expect(await readdir(home.directory)).toEqual(["vault.json"]);
  });

  test("is made private again if others could read it, with a warning", async () => {
    await home.open();
    await chmod(home.path, 0o644);
    await home.open();
    expect((await stat(home.path)).mode & 0o777).toBe(0o600);
    expect(home.log.join("\n")).toContain("other users could read the vault");
  });

  test("survives a temporary file of a crash", async () => {
    await writeFile(`${home.path}.tmp`, "half a va", { mode: 0o644 });
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } });
    expect((await stat(home.path)).mode & 0o777).toBe(0o600);
  });
});

describe("credentials in the vault", () => {
  test("survive a restart, with the same key pair", async () => {
    const first = await home.open();
    await first.put("con_1", { secrets: { password: "one" } }, 2);
    await first.put("__proto__", { secrets: { token: "two" } });
    const second = await home.open();
    expect(second.publicKey).toEqual(first.publicKey);
    expect(secretsIn(second, "con_1")).toEqual({ password: "one" });
    expect(secretsIn(second, "__proto__")).toEqual({ token: "two" });
    expect(secretsIn(second, "toString")).toBeNull();
    expect(second.list().map(({ connectionId, version, names }) => ({ connectionId, version, names }))).toEqual([
      { connectionId: "con_1", version: 2, names: ["password"] },
      { connectionId: "__proto__", version: 0, names: ["token"] },
    ]);
  });

  test("that are put locally keep their version", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } }, 7);
    expect((await vault.put("con_1", { secrets: { password: "two" } })).version).toBe(7);
    expect(secretsIn(vault, "con_1")).toEqual({ password: "two" });
  });

  test("disappear from the file when they are removed", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } });
    expect(await vault.remove("con_1")).toBe(true);
    expect(await vault.remove("con_1")).toBe(false);
    expect((await home.onDisk()).credentials).toEqual([]);
  });

  test("that are put concurrently are all kept", async () => {
    const vault = await home.open();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => vault.put(`con_${index}`, { secrets: { password: `${index}` } })),
    );
    expect((await home.open()).versions()).toHaveLength(20);
    expect(home.changes).toBeGreaterThanOrEqual(20);
  });

  test("that another process wrote into the file are read, not overwritten", async () => {
    const one = await home.open();
    const other = await home.open();
    await other.put("con_2", { secrets: { password: "from the other" } });
    await one.refresh();
    expect(secretsIn(one, "con_2")).toEqual({ password: "from the other" });
    await other.put("con_3", { secrets: { password: "also" } });
    await one.put("con_1", { secrets: { password: "mine" } });
    expect((await home.open()).versions().map(({ connectionId }) => connectionId)).toEqual(["con_2", "con_3", "con_1"]);
  });

  test("are unchanged when a write fails", async () => {
    const vault = await home.open();
    await vault.put("con_1", { secrets: { password: "one" } });
    await rm(home.directory, { recursive: true });
    await expect(vault.put("con_1", { secrets: { password: "two" } })).rejects.toThrow();
    await vault.refresh();
    expect(secretsIn(vault, "con_1")).toEqual({ password: "one" });
  });
});

test("the public key is available before the slow key derivation ends", async () => {
  await home.open();
  const { publicKey } = await home.onDisk();
  const vault = home.opening();
  expect(vault.isOpen).toBe(false);
  expect(vault.publicKey).toEqual(publicKey);
  await vault.ready;
  expect(vault.isOpen).toBe(true);
});

test("the fingerprint is the thumbprint of RFC 7638", async () => {
  const { publicKey } = await home.open();
  const canonical = `{"crv":"P-256","kty":"EC","x":"${publicKey.x}","y":"${publicKey.y}"}`;
  const digest = await crypto.subtle.digest("SHA-256", Buffer.from(canonical));
  expect(fingerprintOf(publicKey)).toBe(Buffer.from(digest).toString("base64url"));
});
