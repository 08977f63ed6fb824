import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Server } from "ssh2";
import type { JobResult } from "../../schema/contract/agent.ts";
import { CappedStream } from "../../agent/executors/shared/capped-stream.ts";
import { remoteProgram } from "../../agent/executors/ssh/remote-program.ts";
import { StartGate } from "../../agent/executors/ssh/start-gate.ts";
import { freePort } from "../support/free-port.ts";
import { type JobToRun, runJob } from "../support/run-job.ts";
import { makeKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing, sshdPasswordMissing, type SshdOptions } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of SSH hosts without a shell are skipped: ${sshdMissing}.`);

const SECRET = "tok-ABCDEFGHIJKLMNOPQRSTUVWXYZ-0123456789";
const MARK = "bellhop-0123456789abcdef";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-no-shell-"));
  await chmod(directory, 0o755);
});
afterAll(() => rm(directory, { recursive: true }));

async function runOn(options: SshdOptions): Promise<JobResult> {
  const [sshd, key] = await Promise.all([Sshd.start(options), makeKey()]);
  try {
    await sshd.authorize(key.publicKey);
    return await runJob({
      type: "ssh",
      action: "ssh.executeCommand",
      config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "privateKey" },
      secrets: { privateKey: key.privateKey },
      otherSecrets: { con_deploy: { DEPLOY_TOKEN: SECRET } },
      params: { command: "echo did it", secretsFrom: "con_deploy" },
    });
  } finally {
    await sshd.stop();
  }
}

async function shell(program: string): Promise<string> {
  const path = join(directory, `${crypto.randomUUID()}.sh`);
  await writeFile(path, `#!/bin/bash\n${program}\n`);
  await chmod(path, 0o755);
  return path;
}

function expectNothingRun(result: JobResult): void {
  expect(result).toMatchObject({ status: "failed", output: null, error: { code: "remote_shell_failed" } });
  // Not even the beginning of the secret, which masking would miss.
  expect(JSON.stringify(result)).not.toContain(SECRET.slice(0, 8));
}

describe.skipIf(sshdMissing !== null)("an SSH host that echoes its input", () => {
  test("is reported to have run nothing", async () => {
    const result = await runOn({ config: ["ForceCommand cat"] });
    expectNothingRun(result);
    expect(result.error?.message).toContain("only repeated");
  });
});

describe.skipIf(sshdPasswordMissing !== null)("an SSH host whose shell is no shell", () => {
  test.each([
    ["echoes its input after a prompt", `while IFS= read -r line; do echo "router> $line"; done; echo bye`],
    ["refuses each line and quotes a part of it", `while IFS= read -r line; do echo "% Unknown: \${line:0:30}"; done`],
  ])("that %s is reported to have run nothing, without showing a secret", async (_, program) => {
    expectNothingRun(await runOn({ shell: await shell(program) }));
  });

  test("that never ends its first line is given up with bounded memory", async () => {
    const flood = `mark=$(sed -n "s/^bellhop_mark='\\(.*\\)''\\(.*\\)'$/\\1\\2/p;/^}/q"); printf '%s ' "$mark"; yes | tr '\\n' x`;
    expectNothingRun(await runOn({ shell: await shell(flood) }));
  });
});

test("an SSH host that ends the command immediately is reported to have run nothing, not as a lost connection", async () => {
  const { privateKey } = await makeKey();
  const host = new Server({ hostKeys: [privateKey] }, (client) => {
    client.on("authentication", (login) => login.accept());
    client.on("error", () => undefined);
    client.on("session", (openSession) => {
      openSession().on("exec", (run) => {
        // In one packet with the confirmation of the command.
        const channel = run();
        channel.exit(1);
        channel.end();
      });
    });
  });
  const port = await freePort();
  const { promise, resolve } = Promise.withResolvers<void>();
  host.listen(port, "127.0.0.1", resolve);
  await promise;
  try {
    const config = { host: "127.0.0.1", port, username: "u", authMethod: "privateKey" };
    const job: JobToRun = { type: "ssh", action: "ssh.executeCommand", config, params: { command: "true" } };
    expectNothingRun(await runJob({ ...job, secrets: { privateKey } }));
  } finally {
    host.close();
  }
});

describe("the start line of a remote program", () => {
  function gateAfter(...chunks: string[]): { gate: StartGate; output: string } {
    const output = new CappedStream();
    const gate = new StartGate(MARK, output, [SECRET]);
    for (const chunk of chunks) gate.push(Buffer.from(chunk));
    return { gate, output: output.read().text };
  }

  test("is found in chunks of any size, after other output of the shell", () => {
    const text = `hello ${MARK} 1 /x\n${MARK}\n${MARK} x\n${MARK} 12 /tmp/a b\nout ${MARK} 3 /y\n`;
    for (const chunks of [[text], [...text], [`${"noise\n".repeat(5_000)}`, text]]) {
      const { gate, output } = gateAfter(...chunks);
      expect(gate.started).toEqual({ group: 12, directory: "/tmp/a b" });
      expect(output).toBe(`out ${MARK} 3 /y\n`);
    }
  });

  test.each([
    ["unknown /tmp/x", null],
    ["0 /tmp/x", null],
    ["1 /tmp/x", null],
    ["7 /tmp/x", 7],
  ])("%s has the process group %p", (line, group) => {
    expect(gateAfter(`${MARK} ${line}\n`).gate.started).toEqual({ group, directory: "/tmp/x" });
  });

  test.each(["!directory", "!interpreter"])("%s is a refusal", (word) => {
    expect(gateAfter(`greeting\n${MARK} ${word}\n`).gate.refusal).toBe(
      word === "!directory" ? "directory" : "interpreter",
    );
  });

  test.each([
    "!$1",
    "!directory now",
    "! directory",
    "12",
    "12 tmp",
    "12  /tmp",
    "12345678901 /tmp",
    "-1 /tmp",
    "unknown",
    '"$bellhop_dir" /tmp',
    "",
  ])("is not recognized in %j", (line) => {
    for (const text of [`${MARK} ${line}\n`, `${MARK} ${line}\nmore\n`]) {
      const { gate, output } = gateAfter(text);
      expect([gate.started, gate.refusal, output]).toEqual([null, null, ""]);
    }
  });

  test("without an end is given up", () => {
    const { gate } = gateAfter(`${MARK} 12 /`, ...Array.from({ length: 100 }, () => "x".repeat(100)));
    expect([gate.started, gate.refusal]).toEqual([null, "line"]);
  });

  test("that is missing leads to a short quote of the shell's output, without any part of a secret", () => {
    expect(gateAfter("This account is not available.\n").gate.noise()).toBe("It said: This account is not available.");
    expect(gateAfter("").gate.noise()).toBe("It said nothing.");
    for (let before = 80; before < 200; before += 1) {
      const said = gateAfter("y".repeat(before), SECRET, "z".repeat(20_000)).gate.noise();
      expect(said.length).toBeLessThan(600);
      expect(said.replaceAll(SECRET, "")).not.toContain(SECRET.slice(0, 4));
    }
  });

  test("cannot be copied from the text of the program", () => {
    const { text, mark } = remoteProgram({
      interpreter: "sh",
      script: "true",
      arguments: ["a"],
      values: { A: "b" },
      traceparent: null,
    });
    expect(text).not.toContain(`${mark} `);
    const gate = new StartGate(mark, new CappedStream(), []);
    gate.push(Buffer.from(text));
    expect([gate.started, gate.refusal]).toEqual([null, null]);
  });
});
