import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { newKeyPair } from "../../agent/vault/crypto.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import { secretsIn } from "../support/bound-credential.ts";
import { sealFor, syncJob } from "../support/sealed-credential.ts";
import type { SealOptions } from "../support/sealed-credential.ts";
import { Parts } from "./parts.ts";

let agent: Parts;
beforeEach(async () => {
  agent = await Parts.start();
});
afterEach(() => agent.stop());

describe("a credential delivery is refused without changes or leaks", () => {
  const secrets = { password: "canary-7c2a" };
  interface Case {
    code: string;
    says: string;
    params?: (jwe: string) => Record<string, string | number | null>;
    plaintext?: object | string;
    seal?: SealOptions;
    type?: ConnectionType;
    /** Changes the parts of the JWE. */
    tamper?: (parts: string[]) => string[];
    toKey?: "another";
  }
  const untouched = (parts: string[]): string[] => parts;
  const flip = (text: string) => (text.startsWith("A") ? "B" : "A") + text.slice(1);
  const header = (extra: Record<string, unknown>) => ({ seal: { header: extra } });
  const cases: Record<string, Case> = {
    "another agent's credential": {
      code: "credential_not_for_us",
      says: "another agent",
      plaintext: { agentId: "agt_2" },
    },
    "another connection's credential": {
      code: "credential_not_for_us",
      says: "another connection",
      plaintext: { connectionId: "con_2" },
    },
    "another version than the job's": {
      code: "credential_not_for_us",
      says: "another version",
      plaintext: { version: 3 },
    },
    "an older credential that a job presents as newer": {
      code: "credential_not_for_us",
      says: "another version",
      params: (jwe) => ({ state: "present", version: 9, jwe }),
    },
    "a credential sealed to another key": { code: "credential_unreadable", says: "deliver it again", toKey: "another" },
    "a changed ciphertext": {
      code: "credential_unreadable",
      says: "deliver it again",
      tamper: ([h = "", k = "", n = "", c = "", t = ""]) => [h, k, n, flip(c), t],
    },
    "a changed nonce": {
      code: "credential_unreadable",
      says: "deliver",
      tamper: ([h = "", k = "", n = "", c = "", t = ""]) => [h, k, flip(n), c, t],
    },
    "a changed tag": {
      code: "credential_unreadable",
      says: "deliver",
      tamper: ([h = "", k = "", n = "", c = "", t = ""]) => [h, k, n, c, flip(t)],
    },
    "a cut tag": {
      code: "credential_unreadable",
      says: "deliver",
      tamper: ([h = "", k = "", n = "", c = "", t = ""]) => [h, k, n, c, t.slice(0, 8)],
    },
    "a header that was changed afterwards": {
      code: "credential_unreadable",
      says: "deliver",
      tamper: ([h = "", ...rest]) => {
        const parsed: object = { ...JSON.parse(Buffer.from(h, "base64url").toString()), kid: "x" };
        return [Buffer.from(JSON.stringify(parsed)).toString("base64url"), ...rest];
      },
    },
    "a sender's key that is not on the curve": {
      code: "credential_unreadable",
      says: "deliver",
      ...header({ epk: { kty: "EC", crv: "P-256", x: "A".repeat(43), y: "A".repeat(43) } }),
    },
    "a sender's key on another curve": { code: "invalid_params", says: "epk", seal: { curve: "P-384" } },
    "another key agreement": { code: "invalid_params", says: "wrong alg", ...header({ alg: "ECDH-ES+A256KW" }) },
    "encryption by a shared key": { code: "invalid_params", says: "wrong alg", ...header({ alg: "dir" }) },
    "another cipher": { code: "invalid_params", says: "wrong enc", ...header({ enc: "A128CBC-HS256" }) },
    compression: { code: "invalid_params", says: "wrong zip", ...header({ zip: "DEF" }) },
    "a critical extension": { code: "invalid_params", says: "wrong crit", ...header({ crit: ["exp"], exp: 1 }) },
    "an encrypted key": {
      code: "invalid_params",
      says: "encrypted key",
      tamper: ([h = "", , ...rest]) => [h, "AAAA", ...rest],
    },
    "four parts": { code: "invalid_params", says: "not a compact JWE", tamper: (parts) => parts.slice(1) },
    "other characters": {
      code: "invalid_params",
      says: "not a compact JWE",
      tamper: ([h = "", ...rest]) => [`${h}=`, ...rest],
    },
    "a header that is not JSON": {
      code: "invalid_params",
      says: "wrong alg",
      tamper: ([, ...rest]) => ["AAAA", ...rest],
    },
    "a text instead of a JWE": {
      code: "invalid_params",
      says: "not a compact JWE",
      params: () => ({ state: "present", version: 2, jwe: "canary-7c2a" }),
    },
    "a huge JWE": {
      code: "invalid_params",
      says: "more than 1500000",
      params: (jwe) => ({ state: "present", version: 2, jwe: jwe + "A".repeat(1_500_000) }),
    },
    "no ciphertext": { code: "invalid_params", says: "jwe", params: () => ({ state: "present", version: 2 }) },
    "no version": { code: "invalid_params", says: "version", params: (jwe) => ({ state: "present", jwe }) },
    "version 0": { code: "invalid_params", says: "version", params: (jwe) => ({ state: "present", version: 0, jwe }) },
    "a fractional version": {
      code: "invalid_params",
      says: "version",
      params: (jwe) => ({ state: "present", version: 1.5, jwe }),
    },
    "another state": { code: "invalid_params", says: "state", params: (jwe) => ({ state: "gone", version: 2, jwe }) },
    "a removal without a version": { code: "invalid_params", says: "version", params: () => ({ state: "absent" }) },
    "a plaintext that is not JSON": { code: "credential_invalid", says: "not a credential", plaintext: "canary-7c2a" },
    "a plaintext without secrets": {
      code: "credential_invalid",
      says: "not a credential",
      plaintext: { secrets: null },
    },
    "a secret that is not a string": {
      code: "credential_invalid",
      says: "not a credential",
      plaintext: { secrets: { password: ["canary-7c2a"] } },
    },
    "no secret at all": { code: "credential_invalid", says: "not a credential", plaintext: { secrets: {} } },
    "names of another type": {
      code: "credential_invalid",
      says: "ssh takes password, or privateKey and passphrase (optional), and nothing else",
      plaintext: { secrets: { token: "canary-7c2a" } },
    },
    "an unknown name": {
      code: "credential_invalid",
      says: "username and password",
      type: "database",
      plaintext: { secrets: { ...secrets, username: "u", "canary-7c2a": "x" } },
    },
    "an empty secret": { code: "credential_invalid", says: "empty", plaintext: { secrets: { password: "" } } },
    "a key in PuTTY's format": {
      code: "credential_invalid",
      says: "puttygen",
      plaintext: { secrets: { privateKey: "PuTTY-User-Key-File-3: canary-7c2a" } },
    },
    "a public key instead of a private key": {
      code: "credential_invalid",
      says: "a private key must not be a public key: deliver the matching private key",
      plaintext: { secrets: { privateKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 canary-7c2a" } },
    },
    "a credential for a type that has none": {
      code: "credential_invalid",
      says: "script has no credential",
      type: "script",
    },
    "a name such as LD_PRELOAD": {
      code: "credential_invalid",
      says: "choose another name",
      type: "custom",
      plaintext: { secrets: { LD_PRELOAD: "canary-7c2a" } },
    },
  };
  for (const [what, { code, says, params, plaintext = {}, seal, type, tamper = untouched, toKey }] of Object.entries(
    cases,
  )) {
    test(what, async () => {
      await agent.vault.put("con_1", { secrets: { password: "kept-as-it-was" } }, 1);
      const whole = { agentId: agent.service.agentId, connectionId: "con_1", version: 2, secrets };
      const sealed = sealFor(
        toKey === "another" ? newKeyPair() : agent.vault.publicKey,
        typeof plaintext === "string" ? plaintext : { ...whole, ...plaintext },
        seal,
      );
      const jwe = tamper(sealed.split(".")).join(".");
      const result = await agent.done(
        syncJob(params?.(jwe) ?? { state: "present", version: 2, jwe }, type === undefined ? {} : { type }),
      );
      expect(result).toMatchObject({ status: "failed", output: null, error: { code } });
      expect(result.error?.message).toContain(says);
      expect(secretsIn(agent.vault, "con_1")).toEqual({ password: "kept-as-it-was" });
      expect(agent.vault.versions()).toMatchObject([{ connectionId: "con_1", version: 1 }]);
      const journal = await readFile(join(agent.directory, "vault.journal"), "utf8");
      for (const text of [JSON.stringify(result), agent.logLines.join("\n"), journal]) {
        expect(text).not.toContain("canary-7c2a");
      }
    });
  }

  test("harmless JWE headers are accepted", async () => {
    const plaintext = { agentId: agent.service.agentId, connectionId: "con_1", version: 2, secrets };
    const jwe = sealFor(agent.vault.publicKey, plaintext, { header: { kid: "any", typ: "JWE", cty: "json" } });
    expect(await agent.done(syncJob({ state: "present", version: 2, jwe }))).toMatchObject({
      status: "succeeded",
      output: { state: "present", version: 2 },
    });
  });
});
