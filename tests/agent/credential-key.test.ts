import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "node:fs/promises";
import { loadExecutor } from "../../agent/executors/index.ts";
import type { Secrets } from "../../schema/contract/credential.ts";
import { boundTo, secretsIn, targetFor } from "../support/bound-credential.ts";
import { deliveryJob } from "../support/sealed-credential.ts";
import { SSH } from "../support/connection-types/ssh.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand } from "./command-process.ts";
import { Parts } from "./parts.ts";

const CONFIG = { ...SSH, authMethod: "privateKey" };

let agent: Parts;
beforeEach(async () => {
  agent = await Parts.start({ load: loadExecutor });
});
afterEach(() => agent.stop());

async function newKey(passphrase = ""): Promise<string> {
  const file = join(agent.directory, `key-${crypto.randomUUID()}`);
  Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", file]);
  return readFile(file, "utf8");
}

const deliver = (secrets: Secrets, version: number) =>
  agent.done(
    deliveryJob({
      agentId: agent.service.agentId,
      publicKey: agent.vault.publicKey,
      type: "ssh",
      version,
      secrets,
      target: targetFor("ssh", CONFIG),
    }),
  );

test("a private key that cannot be opened never replaces one that can", async () => {
  const works = { privateKey: await newKey() };
  expect(await deliver(works, 1)).toMatchObject({ status: "succeeded" });
  const encrypted = await newKey("canary-pass");
  const cases: [Secrets, string][] = [
    [{ privateKey: "canary-no-key" }, "must be in PEM or OpenSSH format"],
    [{ privateKey: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" }, "cannot be used"],
    [{ privateKey: encrypted }, "It is encrypted, and no passphrase was delivered with it"],
    [{ privateKey: encrypted, passphrase: "canary-wrong" }, "The passphrase delivered with it does not open it"],
  ];
  for (const [secrets, why] of cases) {
    const { status, error } = await deliver(secrets, 2);
    expect({ why, status, code: error?.code }).toEqual({ why, status: "failed", code: "credential_invalid" });
    expect(error?.message).toContain(why);
    expect(error?.message).not.toContain("canary");
    expect(await agent.vault.put("con_1", boundTo("ssh", CONFIG, secrets)).catch(String)).toBeString();
    expect(secretsIn(agent.vault, "con_1")).toEqual(works);
  }
  const opens = { privateKey: encrypted, passphrase: "canary-pass" };
  expect(await deliver(opens, 2)).toMatchObject({ status: "succeeded" });
  expect(secretsIn(agent.vault, "con_1")).toEqual(opens);
});

test("credentials set refuses a broken private key and stores nothing", async () => {
  const home = await AgentHome.make();
  try {
    const input = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    const set = ["credentials", "set", "con_1", "--type", "ssh", "--name", "privateKey"];
    const { code, stderr } = await runCommand(home, set, { env: { AGENT_API_KEY: FAKE_AGENT_KEY }, input });
    expect(code).toBe(65);
    expect(stderr).toContain("The private key cannot be used.");
    expect(existsSync(home.path("vault.json"))).toBe(false);
  } finally {
    await home.remove();
  }
});
