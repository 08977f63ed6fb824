import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomInt } from "node:crypto";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { FAKE_AGENT_KEY } from "../../support/fake-service.ts";
import { runCommand } from "../command-process.ts";
import { KUBECONFIG } from "./kubeconfig.ts";

setDefaultTimeout(60_000);

/** A uid of no other process on this machine. */
const uid = randomInt(200_000, 300_000);

describe.skipIf(accountsMissing !== null)(
  `credentials set by root, without a running agent, and with a kubeconfig ${accountsMissing ?? ""}`,
  () => {
    let machine: AccountAgent;
    let directory: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "bellhop-kubeconfig-"));
      await chmod(directory, 0o755);
      machine = await AccountAgent.make();
    });
    afterAll(async () => {
      await machine.remove();
      await rm(directory, { recursive: true, force: true });
    });

    const set = async (kubeconfigPath: string, jobUser: string) => {
      const target = JSON.stringify([{ type: "kubernetes", kubeconfigPath }]);
      return runCommand(machine.home, ["credentials", "set", "con_1", "--name", "token", "--target", target], {
        env: { AGENT_API_KEY: FAKE_AGENT_KEY, JOB_USER: jobUser },
        input: "canary-8d",
        executable: machine.executable,
      });
    };

    test.each([[String(uid)], [""]])("that jobs cannot read is refused (JOB_USER=%s)", async (jobUser) => {
      const path = join(directory, "of-root");
      await writeFile(path, KUBECONFIG, { mode: 0o600 });
      const { code, stderr } = await set(path, jobUser);
      expect(code).toBe(1);
      expect(stderr).toContain(`${path} may not be read by jobs. Give the account of jobs the right to read it.`);
    });

    test("that only the account of jobs can read is accepted", async () => {
      const path = join(directory, "of-jobs");
      await writeFile(path, KUBECONFIG, { mode: 0o600 });
      await chown(path, uid, uid);
      const { code, stdout, stderr } = await set(path, String(uid));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain('server "https://k8s.example.com:6443/"');
    });

    test("of root is accepted where jobs run as root (JOB_USER=off)", async () => {
      const path = join(directory, "of-root");
      await writeFile(path, KUBECONFIG, { mode: 0o600 });
      expect(await set(path, "off")).toMatchObject({ code: 0, stderr: "" });
    });
  },
);
