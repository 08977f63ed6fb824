import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { AccountAgent, accountsMissing } from "../../support/account-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { onAnyCommandLine } from "../../support/processes.ts";

setDefaultTimeout(60_000);

/** The capabilities of a container as docs/install-agent.md starts it. */
const CAPABILITIES = ["setuid", "setgid", "setpcap", "kill"];

describe.skipIf(accountsMissing !== null)(
  `root's agent with the capabilities of a container ${accountsMissing ?? ""}`,
  () => {
    let machine: AccountAgent;
    afterEach(() => machine.remove());

    const start = async (capabilities: readonly string[]) => {
      machine = await AccountAgent.make();
      const given = ["-all", ...capabilities.map((name) => `+${name}`)].join(",");
      await machine.start({
        wrap: ["setpriv", "--inh-caps=-all", "--ambient-caps=-all", `--bounding-set=${given}`, "--no-new-privs", "--"],
      });
      return machine.service.registrations[0];
    };

    test("gives each job an account, and ends the processes that a job leaves", async () => {
      expect(await start(CAPABILITIES)).toMatchObject({ isolation: "account" });
      const mark = `61${process.pid}.5`;
      const script = `(setsid env -i sleep ${mark} &) ; touch /tmp/left-${mark}; id -u; grep CapBnd /proc/self/status`;
      const { output } = await machine.run({ id: "job_container", params: { script } });
      expect(String(output?.["stdout"])).toMatch(/^6\d{4}\nCapBnd:\t0{16}\n$/u);
      await eventually("the end of what the job left", async () => {
        return !onAnyCommandLine(mark) && !(await Bun.file(`/tmp/left-${mark}`).exists());
      });
    });

    test.each(["setuid", "setgid"])("runs no program of a job as root without %s", async (missing) => {
      const { isolation, isolationReason } = (await start(CAPABILITIES.filter((name) => name !== missing))) ?? {};
      expect(isolation).toBe("none");
      expect(isolationReason).toStartWith("jobs with programs fail until this is repaired");
      expect(await machine.run({ id: "job_container", params: { script: "id -u" } })).toMatchObject({
        status: "failed",
      });
    });
  },
);
