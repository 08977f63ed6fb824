import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../schema/contract/json.ts";
import { failureOf, runAction, temporaryState } from "../support/executor-context.ts";
import { runJob } from "../support/run-job.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of SSH with several hosts are skipped: ${sshdMissing}.`);

describe.skipIf(sshdMissing !== null)("an SSH connection to several hosts", () => {
  let sshd: Sshd;
  let key: TestKey;
  let fingerprint: string;
  let hosts: string[];
  beforeAll(async () => {
    [sshd, key] = await Promise.all([Sshd.start({ hostKeyTypes: ["ed25519", "ecdsa"] }), makeKey()]);
    await sshd.authorize(key.publicKey);
    fingerprint = await sshd.fingerprint("ed25519");
    hosts = ["localhost", "127.0.0.1"].map((host) => `${host}:${sshd.port}`);
  });
  afterAll(() => sshd.stop());
  let logins = 0;
  beforeEach(async () => {
    logins = await accepted();
  });
  const accepted = async (): Promise<number> => (await sshd.log()).split("Accepted publickey").length - 1;

  const config = (changes: JsonObject = {}): JsonObject => ({
    targets: hosts,
    username: sshd.username,
    authMethod: "privateKey",
    hostKeys: hosts.map((host) => `${host} ${fingerprint}`),
    ...changes,
  });
  const run = (target: string, changes: JsonObject = {}, action: string | null = "ssh.executeCommand") =>
    runJob({
      type: "ssh",
      config: config(changes),
      target,
      secrets: { privateKey: key.privateKey },
      action,
      params: { command: 'echo "$SSH_CONNECTION"' },
    });

  test("runs a command on each of them", async () => {
    for (const target of hosts) {
      const { status, output } = await run(target);
      expect([target, status]).toEqual([target, "succeeded"]);
      expect(output?.["stdout"]).toContain(`127.0.0.1 ${sshd.port}`);
    }
    expect(await accepted()).toBe(logins + 2);
  });

  test("is tested on the host that the test names", async () => {
    const { output } = await run(hosts[0] ?? "", {}, null);
    expect(output).toMatchObject({ ok: true });
    expect(JSON.stringify(output)).toContain(`Connected to localhost:${sshd.port}`);
    expect(JSON.stringify(output)).toContain("it is the key that the connection pins");
  });

  test("logs in to no host whose key is not given, even to one that the agent has seen before", async () => {
    const state = await temporaryState();
    const { port, username } = sshd;
    const job = { secrets: { privateKey: key.privateKey }, params: { command: "true" }, stateDirectory: state.path };
    const seen = { host: "localhost", port, username, authMethod: "privateKey" };
    expect((await runAction("ssh", "ssh.executeCommand", { ...job, config: seen })).status).toBe("succeeded");
    logins = await accepted();
    const place = { host: "localhost", port };
    for (const hostKeys of [undefined, [`${hosts[1]} ${fingerprint}`]]) {
      const { hostKeys: _all, ...others } = config();
      const several = { ...others, ...(hostKeys === undefined ? {} : { hostKeys }) };
      const { code, message } = failureOf(
        await runAction("ssh", "ssh.executeCommand", { ...job, config: several, place }),
      );
      expect(code).toBe("host_key_unknown");
      expect(message).toContain(fingerprint);
    }
    await state.remove();
    expect(await accepted()).toBe(logins);
  });

  test("refuses another key than the given ones, and accepts a host's key of any type", async () => {
    const other = `SHA256:${"a".repeat(43)}`;
    const changed = await run(hosts[0] ?? "", { hostKeys: [`${hosts[0]} ${other}`] });
    expect(changed.error?.code).toBe("host_key_changed");
    expect(changed.error?.message).toContain("set hostKeys");
    expect(await accepted()).toBe(logins);
    const ecdsa = await sshd.fingerprint("ecdsa");
    const hostKeys = [`${hosts[0]} ${other}`, `${hosts[0]} ${ecdsa}`];
    expect((await run(hosts[0] ?? "", { hostKeys })).status).toBe("succeeded");
  });
});
