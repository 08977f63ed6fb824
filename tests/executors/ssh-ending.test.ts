import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { connectSsh } from "../../agent/executors/ssh/connect.ts";
import { type HostKeyOrigin, KnownHostsFile } from "../../agent/executors/ssh/known-hosts.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, temporaryState, type TestJob, textOf } from "../support/executor-context.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";

if (sshdMissing !== null) console.warn(`Tests of ending SSH commands are skipped: ${sshdMissing}.`);

describe.skipIf(sshdMissing !== null)("a command on an SSH host that is ended early", () => {
  let sshd: Sshd;
  let key: TestKey;
  let relay: TcpRelay;
  let stop: AbortController;
  beforeEach(async () => {
    key = await makeKey();
    sshd = await Sshd.start();
    await sshd.authorize(key.publicKey);
    relay = await startTcpRelay(sshd.port);
    stop = new AbortController();
  });
  afterEach(async () => {
    await relay.close();
    await sshd.stop();
  });

  function command(text: string, more: TestJob = {}) {
    return runAction("ssh", "ssh.executeCommand", {
      config: { host: sshd.host, port: relay.port, username: sshd.username, authMethod: "privateKey" },
      secrets: { privateKey: key.privateKey },
      params: { command: text },
      signal: stop.signal,
      ...more,
    });
  }

  function home(name: string): string {
    return join(sshd.home, name);
  }

  function scriptsLeft(): Promise<string[]> {
    return readdir(sshd.temporary);
  }

  test("ends with its background children, and its script is deleted", async () => {
    const running = command("echo begun; sleep 300 & echo $! > child; echo $$ > main; sleep 300; echo not ended");
    const pids = [await pidIn(home("child")), await pidIn(home("main"))];
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(await scriptsLeft()).toHaveLength(1);
    stop.abort();
    const outcome = await running;
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(failureOf(outcome)).toMatchObject({ code: "job_ended" });
    expect(failureOf(outcome).message).toContain("process group on the host was ended");
    expect(outputOf(outcome)["stdout"]).toBe("begun\n");
    expect(await scriptsLeft()).toEqual([]);
  });

  test("may clean up after SIGTERM", async () => {
    const running = command("trap 'echo cleaned; exit 0' TERM; echo $$ > main; while :; do sleep 0.05; done");
    await pidIn(home("main"));
    stop.abort();
    expect(outputOf(await running)["stdout"]).toBe("cleaned\n");
  });

  test("is killed when it ignores SIGTERM", async () => {
    const running = command("trap '' TERM; sleep 300 & echo $! > child; echo $$ > main; wait");
    const pids = [await pidIn(home("child")), await pidIn(home("main"))];
    stop.abort();
    expect(failureOf(await running).message).toContain("process group on the host was ended");
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(await scriptsLeft()).toEqual([]);
  });

  test("is ended over a second connection when the first no longer answers", async () => {
    const running = command("echo $$ > main; sleep 300");
    const pid = await pidIn(home("main"));
    relay.freeze();
    stop.abort();
    const outcome = await running;
    expect(isRunning(pid)).toBe(false);
    expect(failureOf(outcome).message).toContain("process group on the host was ended");
  });

  test("is reported as possibly running when the host is unreachable", async () => {
    const running = command("echo $$ > main; sleep 300");
    const pid = await pidIn(home("main"));
    relay.freeze();
    relay.refuse();
    stop.abort();
    const { message } = failureOf(await running);
    expect(isRunning(pid)).toBe(true);
    expect(message).toContain("may still run on the host");
  });

  test("fails as connection_lost when the connection breaks, and says that it may still run", async () => {
    const running = command("echo $$ > main; sleep 300");
    const pid = await pidIn(home("main"));
    relay.breakOff();
    const { code, message } = failureOf(await running);
    expect(code).toBe("connection_lost");
    // The report that it has begun may be lost with the connection.
    expect(message).toMatch(/may still run on the host|not known whether the command had begun/u);
    process.kill(pid, "SIGKILL");
  });

  test("succeeds when it ends; a process with its output is ended and named", async () => {
    const outcome = await command("sleep 300 & echo $! > child; echo done");
    expect(outcome.status).toBe("succeeded");
    expect(isRunning(await pidIn(home("child")))).toBe(false);
    expect(outputOf(outcome)["stdout"]).toBe("done\n");
    expect(textOf(outputOf(outcome), "stderr")).toContain("background process");
  });

  test("may start a service whose output goes elsewhere", async () => {
    const outcome = await command("sleep 300 > /dev/null 2>&1 & echo $! > service");
    expect(outputOf(outcome)).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    const service = await pidIn(home("service"));
    expect(isRunning(service)).toBe(true);
    process.kill(service, "SIGKILL");
  });

  test("does not begin when it is ended while connecting", async () => {
    const outcome = await command("touch begun", { signal: AbortSignal.timeout(1) });
    expect(failureOf(outcome).code).toBe("job_ended");
    expect(existsSync(home("begun"))).toBe(false);
  });

  test("while its host's key is checked leaves no error for later", async () => {
    const state = await temporaryState();
    const refused = Promise.withResolvers<void>();
    const connectionsEnded = async (): Promise<number> =>
      (await sshd.log()).split(/Connection (?:closed|reset)/u).length;
    const before = await connectionsEnded();
    class SlowFile extends KnownHostsFile {
      override async accept(...key: Parameters<KnownHostsFile["accept"]>): Promise<HostKeyOrigin> {
        stop.abort();
        await connecting.catch(() => undefined);
        await eventually("the host to see the end", async () => (await connectionsEnded()) > before);
        setImmediate(() => refused.resolve());
        throw new Error(`not accepted: ${key[0]}`);
      }
    }
    const connecting = connectSsh(
      { host: sshd.host, port: sshd.port, username: sshd.username, pinned: null },
      { password: "x" },
      { knownHosts: new SlowFile(state.path, "con_1"), timeoutMs: 10_000, signal: stop.signal },
    );
    await expect(connecting).rejects.toMatchObject({ code: "job_ended" });
    // No handler would catch a late error: the test runner would report it.
    await refused.promise;
    await state.remove();
  });
});
