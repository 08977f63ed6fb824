import { afterEach, beforeEach, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";
import { AgentHome } from "./agent-process.ts";
import { runCommand } from "./command-process.ts";

let home: AgentHome;
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

const command = (line: string, env: Record<string, string>) =>
  runCommand(home, line.split(" "), { env, input: '{"password":"canary-6a"}' });
const keyFile = () => ({ AGENT_API_KEY_FILE: home.path("key") });

test("without a running agent, credentials open the vault with the key in AGENT_API_KEY_FILE", async () => {
  await writeFile(home.path("key"), `${FAKE_AGENT_KEY}\n`, { mode: 0o400 });
  expect(await command("credentials set con_1", keyFile())).toMatchObject({ code: 0, stderr: "" });
  const { code, stdout } = await command("credentials list --json", { AGENT_API_KEY: FAKE_AGENT_KEY });
  expect(code).toBe(0);
  expect(stdout).toContain('"con_1"');
});

test("a key file that is missing or has no key is refused, and its content is not repeated", async () => {
  const missing = await command("credentials list", keyFile());
  expect(missing.code).toBe(78);
  expect(missing.stderr).toContain(`cannot read ${home.path("key")}, which AGENT_API_KEY_FILE names`);
  await writeFile(home.path("key"), "canary-key\n");
  const wrong = await command("credentials list", keyFile());
  expect(wrong.code).toBe(78);
  expect(wrong.stderr).toContain("must contain only an agent key");
  expect(wrong.stderr).not.toContain("canary");
});

test("fingerprint needs no key and does not read the key file", async () => {
  await command("credentials set con_1", { AGENT_API_KEY: FAKE_AGENT_KEY });
  expect(await command("fingerprint", keyFile())).toMatchObject({ code: 0, stderr: "" });
});

test("--env-file names the agent's configuration for credentials and fingerprint", async () => {
  const file = home.path("agent.env");
  const vaultPath = home.path("elsewhere/vault.json");
  await writeFile(file, `AGENT_API_KEY=${FAKE_AGENT_KEY}\nVAULT_PATH=${vaultPath}\n`, { mode: 0o600 });
  const set = await command(`credentials set con_1 --env-file ${file}`, {});
  expect(set).toMatchObject({ code: 0, stderr: "" });
  expect(set.stdout).toContain(vaultPath);
  const listed = await command(`credentials --env-file=${file} list`, {});
  const { code, stdout } = await command(`fingerprint --env-file ${file}`, {});
  expect(code).toBe(0);
  expect(listed.stdout).toContain(stdout.trim());

  expect(await command("fingerprint --env-file", {})).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("path"),
  });
  expect((await command(`credentials list --env-file ${home.path("none")}`, {})).code).toBe(78);
});
