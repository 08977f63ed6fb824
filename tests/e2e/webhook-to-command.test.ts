import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startAgentProcess } from "../../scripts/local/agent-process.ts";
import type { AgentProcess } from "../../scripts/local/agent-process.ts";
import { boundTo } from "../support/bound-credential.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  chain,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  ended,
} from "../support/management.ts";
import { Sshd, sshdPasswordMissing } from "../support/sshd.ts";

/**
 * The whole path without a fake: a webhook, workerd, libSQL, the compiled agent, bash, and a real SSH server. Only the
 * agent gets a canary password; afterwards every byte that the service stored or sent is searched for it.
 */
if (sshdPasswordMissing !== null) console.log(`skipped: webhook to command over SSH (${sshdPasswordMissing})`);

describe.skipIf(sshdPasswordMissing !== null)("a webhook runs real commands", () => {
  let bellhop: Bellhop;
  let sshd: Sshd;
  let agent: AgentProcess;
  let directory: string;
  const ADMIN_TOKEN = "agent-admin-token-for-this-test";
  const answers: string[] = [];

  beforeAll(async () => {
    [bellhop, sshd] = await Promise.all([startBellhop(), Sshd.start()]);
    directory = await mkdtemp(join(tmpdir(), "bellhop-e2e-"));
    const created = await createAgent(bellhop, { poolId: "dc-1" });
    agent = await startAgentProcess({
      stateDirectory: directory,
      apiUrl: bellhop.url,
      apiKey: created.apiKey,
      environment: { POLL_INTERVAL: "1", ADMIN_TOKEN },
    });
  });
  afterAll(async () => {
    await agent?.stop();
    await bellhop?.stop();
    await sshd?.stop();
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
  });

  test("with bash, then SSH with the password of the agent's vault, each with the caller's values", async () => {
    const script = await createConnection(bellhop, { type: "script", poolId: "dc-1" });
    const config = { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "password" };
    const ssh = await createConnection(bellhop, { type: "ssh", poolId: "dc-1", config });
    await deliverLocally(ssh, boundTo("ssh", config, { password: sshd.password }));
    const webhook = await createWebhookWorkflow(
      bellhop,
      chain([
        {
          id: "greet",
          action: "script.bash",
          connectionId: script,
          params: { script: 'printf "hello %s" "$WHO"', env: { WHO: "{{webhook.who}}" } },
        },
        {
          id: "remote",
          action: "ssh.executeCommand",
          connectionId: ssh,
          params: {
            command: 'printf "%s from %s" "$GREETING" "$(id -un)"; cat "$HOME/password" >&2',
            env: { GREETING: "{{nodes.greet.output.stdout}}" },
          },
        },
      ]),
    );
    const who = `$(touch ${directory}/executed) "it's" \`id\` ünïcode`;
    // A command that prints its own secret: the agent masks it before its journal has it.
    await writeFile(join(sshd.home, "password"), sshd.password);
    const response = await webhook.ring({ variables: { who } });
    const execution = await ended(bellhop, await acceptedId(response));
    answers.push(JSON.stringify(execution));
    expect(execution.error).toBeNull();
    expect(execution.status).toBe("succeeded");
    const [greet, remote] = ["greet", "remote"].map((id) => execution.nodeRuns.find((run) => run.nodeId === id));
    expect(greet?.output).toMatchObject({ stdout: `hello ${who}`, exitCode: 0 });
    expect(remote?.output).toMatchObject({ stdout: `hello ${who} from ${sshd.username}`, exitCode: 0 });
    expect(await readdir(directory)).not.toContain("executed");
    expect(remote?.output).toMatchObject({ stderr: "***" });
    for (const at of Object.values(remote?.timeline ?? {})) expect(at).not.toBeNull();
  });

  test("a command that fails shows its exit code and last line, and fails the execution", async () => {
    const script = await createConnection(bellhop, { type: "script", poolId: "dc-1" });
    const webhook = await createWebhookWorkflow(
      bellhop,
      chain([
        {
          id: "broken",
          action: "script.bash",
          connectionId: script,
          params: { script: "echo no such service >&2; exit 7" },
        },
      ]),
    );
    const execution = await ended(bellhop, await acceptedId(await webhook.ring()));
    expect(execution.status).toBe("failed");
    const [run] = execution.nodeRuns;
    expect(run).toMatchObject({ status: "failed", output: { exitCode: 7, stderr: "no such service\n" } });
    expect(run?.error?.message).toContain("no such service");
  });

  test("a timeout ends the command's processes, and says so", async () => {
    const script = await createConnection(bellhop, { type: "script", poolId: "dc-1" });
    const pidFile = join(directory, "sleeper.pid");
    const webhook = await createWebhookWorkflow(
      bellhop,
      chain([
        {
          id: "hang",
          action: "script.bash",
          connectionId: script,
          params: { script: `sleep 300 & echo $! > ${pidFile}; wait` },
          timeoutSeconds: 1,
        },
      ]),
    );
    const execution = await ended(bellhop, await acceptedId(await webhook.ring()));
    expect(execution.nodeRuns[0]).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
    const pid = Number(await readFile(pidFile, "utf8"));
    await eventually("the background child to be gone", () => !isAlive(pid));
  });

  test("the secret is only in the agent's vault, sealed (invariant 6)", async () => {
    for (const path of ["/agents", "/connections", "/workflows", "/executions"]) {
      answers.push(await (await bellhop.api("GET", `/api/v1/automation${path}`)).text());
    }
    const places = [
      ...(await bytesUnder(bellhop.directory)),
      ...(await bytesUnder(directory)),
      ...answers.map((text, index) => ({ name: `answer ${index}`, bytes: Buffer.from(text) })),
      { name: "process list", bytes: await readFile(`/proc/${agent.pid}/cmdline`) },
    ];
    const names = places.map((place) => place.name).join(" ");
    // The search needs something to find.
    for (const expected of [bellhop.libsql.file, "objects", "vault.json", "journal", "agent.log"])
      expect(names).toContain(expected);
    expect(places.filter((place) => place.bytes.includes(sshd.password)).map((place) => place.name)).toEqual([]);
  });

  async function deliverLocally(connectionId: string, content: ReturnType<typeof boundTo>): Promise<void> {
    const adminUrl = await eventually(
      "the agent to name its admin API",
      async () => /"adminApi":"([^"]+)"/u.exec(await readFile(agent.logFile, "utf8"))?.[1],
    );
    const response = await fetch(`${adminUrl}/v1/credentials/${connectionId}`, {
      method: "PUT",
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, "Content-Type": "application/json" },
      body: JSON.stringify(content),
    });
    expect(response.ok).toBe(true);
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function bytesUnder(directory: string): Promise<{ name: string; bytes: Buffer }[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return { name: path, bytes: await readFile(path) };
    }),
  );
}
