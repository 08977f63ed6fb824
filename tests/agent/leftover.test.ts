import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { constants, readFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { endLeftover, MARK_VARIABLE } from "../../agent/programs/marked-processes.ts";
import { eventually } from "../support/eventually.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { AgentHome } from "./agent-process.ts";

const { O_NONBLOCK, O_WRONLY } = constants;
const missing = process.platform === "linux" ? null : "only Linux shows the environment of a process";

describe.skipIf(missing !== null)(
  `a process that a killed agent left running${missing === null ? "" : ` (${missing})`}`,
  () => {
    let service: FakeService;
    let home: AgentHome;
    beforeEach(async () => {
      service = await FakeService.start();
      home = await AgentHome.make();
    });
    afterEach(async () => {
      await writeFile(home.path("stop"), "");
      await home.remove();
      await service.stop();
      expect(service.violations).toEqual([]);
    });

    /** Writes its pid, then waits for the file `stop`. */
    const waiting = (name: string) =>
      `echo $$ > ${home.path(name)}; while [ -d ${home.directory} ] && [ ! -e ${home.path("stop")} ]; do sleep 0.05; done`;

    async function killed(): Promise<void> {
      const agent = await home.start(service.url);
      await pidIn(home.path("script"));
      agent.kill("SIGKILL");
      await agent.exited;
    }

    test("is ended by the next agent before the job is reported as interrupted, and the report says so", async () => {
      const { id } = service.enqueue({ params: { script: waiting("script") } });
      await killed();
      const pid = await pidIn(home.path("script"));
      expect(isRunning(pid)).toBe(true);
      const ranAtReport: boolean[] = [];
      service.beforeAnswer("results", () => {
        ranAtReport.push(isRunning(pid));
      });
      const next = await home.start(service.url);
      await eventually("the result", () => service.resultsOf(id).length === 1);
      expect(ranAtReport).toEqual([false]);
      const [result] = service.resultsOf(id);
      expect(result).toMatchObject({ status: "interrupted", error: { code: "interrupted" } });
      expect(result?.error?.message).toContain("It was still running when the agent started again");
      expect(result?.error?.message).toContain("and was ended");
      expect(next.log()).toContain("left behind was still running: it was ended");
    });

    test("is ended before the next agent reads its key", async () => {
      const deaf = `trap "" TERM; ${waiting("script")}`;
      service.enqueue({ params: { script: deaf } });
      await killed();
      const pid = await pidIn(home.path("script"));
      // No process can open the pipe for writing before the agent opens it for reading.
      const keyFile = home.path("key");
      expect(Bun.spawnSync(["mkfifo", "-m", "600", keyFile]).exitCode).toBe(0);
      await home.start(service.url, { env: { AGENT_API_KEY: "", AGENT_API_KEY_FILE: keyFile } });
      const key = await eventually("the agent to read its key", () => open(keyFile, O_WRONLY | O_NONBLOCK));
      expect(isRunning(pid)).toBe(false);
      const registered = service.registrations.length;
      await key.writeFile(`${FAKE_AGENT_KEY}\n`);
      await key.close();
      await eventually("the registration", () => service.registrations.length > registered);
    });

    test("is ended with processes outside its group, processes without a mark, and those that ignore SIGTERM", async () => {
      const escaped = `setsid sh -c '${waiting("escaped")}' &`;
      const unmarked = `env -u ${MARK_VARIABLE} sh -c '${waiting("unmarked")}' &`;
      const stubborn = `sh -c 'trap "" TERM; ${waiting("stubborn")}' &`;
      const { id } = service.enqueue({
        params: { script: [escaped, unmarked, stubborn, waiting("script")].join("\n") },
      });
      const names = ["escaped", "unmarked", "stubborn", "script"];
      const agent = await home.start(service.url);
      const pids = await Promise.all(names.map((name) => pidIn(home.path(name))));
      agent.kill("SIGKILL");
      await agent.exited;
      await home.start(service.url);
      await eventually("the result", () => service.resultsOf(id).length === 1);
      expect(pids.map(isRunning)).toEqual([false, false, false, false]);
    });

    test("is not mentioned if it ended before the restart", async () => {
      const { id } = service.enqueue({ params: { script: waiting("script") } });
      await killed();
      await writeFile(home.path("stop"), "");
      const pid = await pidIn(home.path("script"));
      await eventually("its end", () => !isRunning(pid));
      await home.start(service.url);
      await eventually("the result", () => service.resultsOf(id).length === 1);
      expect(service.resultsOf(id)[0]?.error?.message).not.toContain("still running");
    });

    test("keeps running if its job already has a result", async () => {
      const script = `setsid sh -c '${waiting("daemon")}' > /dev/null 2>&1 & echo started`;
      const started = service.enqueue({ params: { script } });
      const running = service.enqueue({ params: { script: waiting("script") } });
      const agent = await home.start(service.url);
      await eventually("the first result", () => service.resultsOf(started.id).length === 1);
      const daemon = await pidIn(home.path("daemon"));
      await pidIn(home.path("script"));
      agent.kill("SIGKILL");
      await agent.exited;
      await home.start(service.url);
      await eventually("the second result", () => service.resultsOf(running.id).length === 1);
      expect(isRunning(daemon)).toBe(true);
    });

    test("is not touched if it belongs to another agent's job, or to another attempt", async () => {
      const others = ["journal-a/job_1/11", "journal-a/job_1/2", "journal-b/job_1/1", "xjournal-a/job_1/1"].map(
        (mark) => Bun.spawn(["sleep", "300"], { env: { [MARK_VARIABLE]: mark }, detached: true }),
      );
      const ours = Bun.spawn(["sleep", "300"], { env: { [MARK_VARIABLE]: "journal-a/job_1/1" }, detached: true });
      try {
        // Until the child has executed the other program, it has this process's environment.
        const isReady = (pid: number) => readFileSync(`/proc/${pid}/environ`, "latin1").startsWith(MARK_VARIABLE);
        await eventually("all of them to run", () => [ours, ...others].every(({ pid }) => isReady(pid)));
        expect(await endLeftover("journal-a/job_1/1")).toEqual({ found: 1, left: [] });
        expect(await ours.exited).toBe(143);
        expect(others.map(({ exitCode, signalCode }) => exitCode ?? signalCode)).toEqual([null, null, null, null]);
        expect(await endLeftover("journal-a/job_1/1")).toBeNull();
      } finally {
        for (const other of others) other.kill("SIGKILL");
        ours.kill("SIGKILL");
      }
    });

    test("is never the new agent, even when a job started that agent", async () => {
      const { id } = service.enqueue({ params: { script: waiting("script") } });
      await killed();
      const pid = await pidIn(home.path("script"));
      const environment = await Bun.file(`/proc/${pid}/environ`).text();
      const mark = environment.split("\0").find((entry) => entry.startsWith(`${MARK_VARIABLE}=`));
      const next = await home.start(service.url, { env: { [MARK_VARIABLE]: mark?.split("=")[1] ?? "" } });
      await eventually("the result", () => service.resultsOf(id).length === 1);
      expect(isRunning(pid)).toBe(false);
      expect(isRunning(next.pid)).toBe(true);
    });
  },
);
