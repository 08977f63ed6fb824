import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { JsonObject } from "../../schema/contract/json.ts";
import { onAnyCommandLine, pidIn } from "../support/processes.ts";
import { beginJob, runJob, type JobToRun } from "../support/run-job.ts";
import { makeKey, type TestKey } from "../support/ssh-keys.ts";
import { Sshd, sshdMissing } from "../support/sshd.ts";

if (sshdMissing !== null) console.warn(`Tests of secrets for SSH scripts are skipped: ${sshdMissing}.`);

describe.skipIf(sshdMissing !== null)("a script on an SSH host that gets a custom connection's secrets", () => {
  let sshd: Sshd;
  let key: TestKey;
  beforeAll(async () => {
    [sshd, key] = await Promise.all([Sshd.start(), makeKey()]);
    await sshd.authorize(key.publicKey);
  });
  afterAll(() => sshd.stop());

  function job(params: JsonObject, deploy: Record<string, string> | null, action = "ssh.executeCommand"): JobToRun {
    return {
      type: "ssh",
      action,
      config: { host: sshd.host, port: sshd.port, username: sshd.username, authMethod: "privateKey" },
      secrets: { privateKey: key.privateKey },
      params: { ...params, secretsFrom: "con_deploy" },
      otherSecrets: deploy === null ? {} : { con_deploy: deploy },
    };
  }

  test("gets them in sh and in Python byte for byte, masked in its output", async () => {
    const TOKEN = "tok'\"$(id)\n☃ 3cr3t";
    const inShell = await runJob(job({ command: 'printf "%s" "$TOKEN" | od -An -tx1 | tr -d " \\n"' }, { TOKEN }));
    // The hexadecimal form of a secret is masked, too.
    expect(inShell.output?.["stdout"]).toBe("***");
    const script = `import os; print(len(os.environ["TOKEN"]), os.environ["TOKEN"])`;
    const python = await runJob(job({ script, interpreter: "python3" }, { TOKEN }, "ssh.executeScript"));
    expect(python.output?.["stdout"]).toBe(`${TOKEN.length} ***\n`);
  });

  test("has them on no command line of either machine", async () => {
    const secret = `tok-${crypto.randomUUID()}`;
    const running = await beginJob(
      job({ command: 'echo so far; test "$TOKEN" && echo $$ > begun; sleep 300' }, { TOKEN: secret }),
    );
    await pidIn(join(sshd.home, "begun"));
    expect(onAnyCommandLine(secret)).toBe(false);
    running.cancel();
    expect(await running.result).toMatchObject({ status: "cancelled", output: { stdout: "so far\n" } });
  });

  test("does not run when the vault has none", async () => {
    const result = await runJob(job({ command: "echo ran" }, null));
    expect(result).toMatchObject({ status: "failed", output: null, error: { code: "credential_missing" } });
    expect(result.error?.message).toContain("con_deploy");
  });

  test.each(["PATH", "BASH_ENV", "IFS", "bellhop_dir"])("does not run with one named %s", async (name) => {
    const result = await runJob(job({ command: "echo ran" }, { [name]: "/3vil" }));
    expect(result).toMatchObject({ status: "failed", output: null, error: { code: "invalid_credential" } });
    expect(result.error?.message).toContain(name);
  });
});
