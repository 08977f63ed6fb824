import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ServiceMachine } from "../../support/service-machine.ts";
import { systemdMissing } from "../../support/systemd/index.ts";
import { KUBECONFIG } from "./kubeconfig.ts";

setDefaultTimeout(120_000);

describe.skipIf(systemdMissing !== null)(
  `credentials set while the installed agent is stopped ${systemdMissing ?? ""}`,
  () => {
    let machine: ServiceMachine;
    const sh = (script: string) => machine.systemd.run(["/bin/sh", "-c", script]);
    beforeAll(async () => {
      machine = await ServiceMachine.start();
      const { stderr, exitCode } = await machine.install();
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
      await machine.systemd.systemctl("stop", "bellhop-agent");
    });
    afterAll(() => machine.stop());

    /** Runs `credentials set` as the agent's account with a kubeconfig of this owner and mode. */
    const set = async (owner: string, mode: string) => {
      const path = "/etc/bellhop/kubeconfig";
      const target = JSON.stringify([{ type: "kubernetes", kubeconfigPath: path }]);
      const env = "AGENT_API_KEY_FILE=/etc/bellhop/agent.key VAULT_PATH=/var/lib/bellhop-agent/vault.json";
      const command = `bellhop-agent credentials set con_1 --name token --target '${target}'`;
      return sh(`printf %s '${KUBECONFIG}' > ${path} && chown ${owner} ${path} && chmod ${mode} ${path}
      echo canary-9e | setpriv --reuid=bellhop-agent --regid=bellhop-agent --clear-groups env ${env} /usr/local/bin/${command}`);
    };

    test("accepts a kubeconfig that jobs can read", async () => {
      const { exitCode, stdout, stderr } = await set("root:bellhop-job", "640");
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(stdout).toContain('server "https://k8s.example.com:6443/"');
    });

    test("refuses a kubeconfig that only the agent's account can read", async () => {
      const { exitCode, stderr } = await set("bellhop-agent", "600");
      expect(exitCode).toBe(1);
      expect(stderr).toContain("may not be read by jobs");
    });
  },
);
