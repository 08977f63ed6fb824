import { afterAll, beforeAll, expect } from "bun:test";
import { join } from "node:path";
import { connectionMatrix } from "../support/connection-matrix.ts";
import { freePort } from "../support/free-port.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { beginJob, runJob, type JobToRun } from "../support/run-job.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

/** Against OpenSSH's server. */
let sshd: Sshd;
let key: TestKey;
let stranger: TestKey;
beforeAll(async () => {
  if (sshdMissing !== null) return;
  [sshd, key, stranger] = await Promise.all([Sshd.start(), makeKey(), makeKey()]);
  await sshd.authorize(key.publicKey);
});
afterAll(() => sshd?.stop());

function job(command: string | null, { port = sshd.port, privateKey = key.privateKey } = {}): JobToRun {
  return {
    type: "ssh",
    action: command === null ? null : "ssh.executeCommand",
    config: { host: sshd.host, port, username: sshd.username, authMethod: "privateKey" },
    secrets: { privateKey },
    params: command === null ? {} : { command },
  };
}

const endless = (name: string) => job(`echo begun; sleep 300 & echo $! > ${name}; wait`);
const pidOf = (name: string) => pidIn(join(sshd.home, name));
const ENDED = "Its process group on the host was ended.";
const cell = <R>(run: () => Promise<R>) => ({ run, skip: sshdMissing });

connectionMatrix("ssh", {
  action: cell(async () => {
    const result = await runJob(job("echo hello; echo warned >&2"));
    expect(result).toMatchObject({
      status: "succeeded",
      output: { stdout: "hello\n", stderr: "warned\n", exitCode: 0 },
    });
  }),
  "bad credentials": cell(async () => {
    const result = await runJob(job("touch ran", { privateKey: stranger.privateKey }));
    expect(result).toMatchObject({ status: "failed", error: { code: "authentication_failed" } });
    expect(result.error?.message).toContain("authorized_keys");
    expect(await Bun.file(join(sshd.home, "ran")).exists()).toBe(false);
  }),
  unreachable: cell(async () => {
    const result = await runJob(job("true", { port: await freePort() }));
    expect(result).toMatchObject({ status: "failed", error: { code: "unreachable" } });
    expect(result.error?.message).toContain("refused the connection");
  }),
  "time-out": cell(async () => {
    const begun = await beginJob(endless("timed-out"));
    const child = await pidOf("timed-out");
    expect(isRunning(child)).toBe(true);
    begun.timeOut();
    const result = await begun.result;
    expect(result).toMatchObject({ status: "timed_out", output: { stdout: "begun\n" }, error: { code: "timed_out" } });
    expect(result.error?.message).toContain(ENDED);
    expect(isRunning(child)).toBe(false);
  }),
  cancel: cell(async () => {
    const begun = await beginJob(endless("cancelled"));
    const child = await pidOf("cancelled");
    expect(isRunning(child)).toBe(true);
    begun.cancel();
    const result = await begun.result;
    expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
    expect(result.error?.message).toContain(ENDED);
    expect(isRunning(child)).toBe(false);
  }),
  "oversize output": cell(async () => {
    const result = await runJob(job("head -c 5000000 /dev/zero | tr '\\0' x"));
    expect(result).toMatchObject({ status: "succeeded", output: { truncated: true } });
    expect(Buffer.byteLength(JSON.stringify(result.output))).toBeLessThan(524_288);
  }),
  "connection test": cell(async () => {
    const result = await runJob(job(null));
    expect(result).toMatchObject({ status: "succeeded", output: { ok: true } });
    expect(result.output?.["checks"]).toMatchObject([
      { name: "TCP connection", ok: true },
      { name: "SSH handshake", ok: true, detail: expect.stringContaining(await sshd.fingerprint("ed25519")) },
      { name: "Authentication", ok: true },
    ]);
    return [result.output?.["checks"]];
  }),
});
