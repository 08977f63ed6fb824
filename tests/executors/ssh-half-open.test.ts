import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { connectSsh, type SshConnection } from "../../agent/executors/ssh/connect.ts";
import { openShell } from "../../agent/executors/ssh/end-remote.ts";
import { KnownHostsFile } from "../../agent/executors/ssh/known-hosts.ts";
import { readPrivateKey } from "../../agent/executors/ssh/private-key.ts";
import { remoteProgram } from "../../agent/executors/ssh/remote-program.ts";
import { runRemote } from "../../agent/executors/ssh/run-remote.ts";
import { temporaryState } from "../support/executor-context.ts";
import { pidIn } from "../support/processes.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";

if (sshdMissing !== null) console.warn(`Tests of half-open SSH connections are skipped: ${sshdMissing}.`);

/** The network disappears silently: neither end closes the connection, and the job has an hour. */
describe.skipIf(sshdMissing !== null)("an SSH host that disappears from an open connection", () => {
  let sshd: Sshd;
  let key: TestKey;
  let state: { path: string; remove: () => Promise<void> };
  let relay: TcpRelay;
  beforeAll(async () => {
    [sshd, key, state] = await Promise.all([Sshd.start(), makeKey(), temporaryState()]);
    await sshd.authorize(key.publicKey);
  });
  beforeEach(async () => {
    relay = await startTcpRelay(sshd.port);
  });
  afterEach(() => relay.close());
  afterAll(async () => {
    await sshd.stop();
    await state.remove();
  });

  function connect(): Promise<SshConnection> {
    return connectSsh(
      { host: sshd.host, port: relay.port, username: sshd.username, pinned: null },
      { privateKey: readPrivateKey(key.privateKey, undefined) },
      {
        knownHosts: new KnownHostsFile(state.path, "con_1"),
        timeoutMs: 3_600_000,
        signal: new AbortController().signal,
        // The connection is given up after three missed answers, which a busy machine must not miss.
        keepaliveIntervalMs: 400,
      },
    );
  }

  test("is detected during a command, which may still run there", async () => {
    const connection = await connect();
    const script = {
      interpreter: "sh",
      script: "echo $$ > main; sleep 300",
      arguments: [],
      values: {},
      traceparent: null,
    };
    const running = runRemote(remoteProgram(script), {
      connection,
      hasValues: false,
      reconnect: () => Promise.reject(new Error("no end was requested")),
      signal: new AbortController().signal,
      secrets: [],
    });
    const pid = await pidIn(join(sshd.home, "main"));
    // The next command's end on the same connection shows that the first command has begun.
    const next = { interpreter: "sh", script: "true", arguments: [], values: {}, traceparent: null };
    await runRemote(remoteProgram(next), {
      connection,
      hasValues: false,
      reconnect: connect,
      signal: new AbortController().signal,
      secrets: [],
    });
    relay.freeze();
    await expect(running).rejects.toMatchObject({
      code: "connection_lost",
      message: expect.stringContaining("may still run on the host"),
    });
    process.kill(pid, "SIGKILL");
  });

  test("is detected before a command is sent, and no command runs", async () => {
    const connection = await connect();
    relay.freeze();
    await expect(openShell(connection)).rejects.toMatchObject({
      code: "connection_lost",
      message: expect.stringContaining("Nothing was run"),
    });
  });

  test("is not assumed while a host is silent for long", async () => {
    const connection = await connect();
    const script = { interpreter: "sh", script: "sleep 2.4; echo done", arguments: [], values: {}, traceparent: null };
    const end = await runRemote(remoteProgram(script), {
      connection,
      hasValues: false,
      reconnect: connect,
      signal: new AbortController().signal,
      secrets: [],
    });
    connection.close();
    expect(end.exitCode).toBe(0);
    expect(end.streams.stdout.read().text).toBe("done\n");
  });
});
