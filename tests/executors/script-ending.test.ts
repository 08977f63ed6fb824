import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Programs } from "../../agent/programs/program.ts";
import { eventually } from "../support/eventually.ts";
import { failureOf, outputOf, runAction, temporaryState, textOf } from "../support/executor-context.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { programsFor, WAYS } from "../support/programs.ts";
import { beginJob } from "../support/run-job.ts";

let state: { path: string; remove: () => Promise<void> };
let stop: AbortController;
beforeEach(async () => {
  state = await temporaryState();
  stop = new AbortController();
});
afterEach(() => state.remove());

function file(name: string): string {
  return join(state.path, name);
}

function bash(script: string, programs?: Programs) {
  return runAction("script", "script.bash", { params: { script }, signal: stop.signal, ...(programs && { programs }) });
}

describe.each(WAYS)("a script that is ended early, %s", (_, way) => {
  const { stop: stopPrograms, programs } = programsFor(way);
  afterAll(stopPrograms);

  test("ends with its background children", async () => {
    const running = bash(
      `
      echo begun
      sleep 300 & echo $! > ${file("quiet")}
      (trap '' HUP; echo $BASHPID > ${file("nested")}; exec sleep 300) > /dev/null 2>&1 &
      wait`,
      programs,
    );
    const pids = [await pidIn(file("quiet")), await pidIn(file("nested"))];
    expect(pids.map(isRunning)).toEqual([true, true]);
    stop.abort();
    const outcome = await running;
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(failureOf(outcome).code).toBe("job_ended");
    expect(outputOf(outcome)).toEqual({ stdout: "begun\n", stderr: "" });
  });

  test("may clean up after SIGTERM", async () => {
    const running = bash(
      `trap 'echo cleaned; exit 0' TERM; echo $$ > ${file("pid")}; while :; do sleep 0.05; done`,
      programs,
    );
    await pidIn(file("pid"));
    stop.abort();
    const outcome = await running;
    expect(outcome.status).toBe("failed");
    expect(outputOf(outcome)["stdout"]).toBe("cleaned\n");
  });

  test("keeps what it wrote last, also when the agent reads it late", async () => {
    const last = "head -c 250000 /dev/zero | tr '\\0' x; echo; echo cleaned; exit 0";
    const running = bash(`trap "${last}" TERM; echo $$ > ${file("pid")}; while :; do sleep 0.01; done`, programs);
    await pidIn(file("pid"));
    stop.abort();
    await Bun.sleep(0);
    // This process reads nothing meanwhile.
    Bun.sleepSync(300);
    expect(textOf(outputOf(await running), "stdout")).toEndWith("x\ncleaned\n");
  });

  test("is killed when it ignores SIGTERM, and so are its children", async () => {
    const running = bash(
      `
      trap '' TERM
      sleep 300 & echo $! > ${file("child")}
      echo $$ > ${file("pid")}; wait`,
      programs,
    );
    const pids = [await pidIn(file("child")), await pidIn(file("pid"))];
    stop.abort();
    await running;
    expect(pids.map(isRunning)).toEqual([false, false]);
  });

  test.skipIf(process.platform !== "linux")("ends with processes outside its process group", async () => {
    const running = bash(
      `
      setsid sh -c 'echo $$ > ${file("quiet")}; exec sleep 300' > /dev/null 2>&1 &
      setsid sh -c 'trap "" TERM; echo $$ > ${file("stubborn")}; while :; do sleep 0.1; done' &
      (setsid sh -c 'trap "echo cleaned > ${file("cleaned")}; exit" TERM; echo $$ > ${file("polite")}; while :; do sleep 0.05; done' &)
      wait`,
      programs,
    );
    const pids = await Promise.all(["quiet", "stubborn", "polite"].map((name) => pidIn(file(name))));
    expect(pids.map(isRunning)).toEqual([true, true, true]);
    stop.abort();
    expect(failureOf(await running).code).toBe("job_ended");
    expect(pids.map(isRunning)).toEqual([false, false, false]);
    expect(existsSync(file("cleaned"))).toBe(true);
  });

  test("does not end processes of another script", async () => {
    const other = new AbortController();
    const beside = runAction("script", "script.bash", {
      params: { script: `setsid sh -c 'echo $$ > ${file("other")}; exec sleep 300' & wait` },
      signal: other.signal,
      ...(programs && { programs }),
    });
    const running = bash(`echo $$ > ${file("own")}; sleep 300`, programs);
    const [pid] = await Promise.all([pidIn(file("other")), pidIn(file("own"))]);
    stop.abort();
    await running;
    expect(isRunning(pid)).toBe(true);
    other.abort();
    await beside;
    expect(isRunning(pid)).toBe(process.platform !== "linux");
  });

  test("ends even if a child outside its process group keeps its output open", async () => {
    const running = bash(
      `env -u BELLHOP_JOB_PROCESSES setsid sh -c 'echo $$ > ${file("escaped")}; exec sleep 300' & echo begun; wait`,
    );
    const escaped = await pidIn(file("escaped"));
    try {
      stop.abort();
      expect(textOf(outputOf(await running), "stdout")).toBe("begun\n");
    } finally {
      process.kill(escaped, "SIGKILL");
    }
  });
});

describe("a script that leaves a process running", () => {
  test("succeeds when the script ends; a process with its output is ended and named", async () => {
    const outcome = await bash(`sleep 300 & echo $! > ${file("child")}; echo done`);
    expect(outcome.status).toBe("succeeded");
    expect(isRunning(await pidIn(file("child")))).toBe(false);
    expect(outputOf(outcome)["stdout"]).toBe("done\n");
    expect(textOf(outputOf(outcome), "stderr")).toContain("background process");
  });

  test("may start a service whose output goes elsewhere", async () => {
    const outcome = await bash(`
      sh -c 'echo $$ > ${file("service")}; until test -e ${file("go")}; do sleep 0.05; done; touch ${file("served")}' > /dev/null 2>&1 < /dev/null &
      echo started`);
    expect(outputOf(outcome)).toEqual({ stdout: "started\n", stderr: "", exitCode: 0 });
    const service = await pidIn(file("service"));
    expect(isRunning(service)).toBe(true);
    await Bun.write(file("go"), "");
    await eventually("the service to do its work", () => existsSync(file("served")));
    await eventually("the service to end", () => !isRunning(service));
  });
});

test.each(["cancelled", "timed_out"] as const)(
  "a script that is %s is reported with its output so far",
  async (how) => {
    const script = `echo so far; echo why >&2; echo $$ > ${file("pid")}; sleep 300`;
    const running = await beginJob({ type: "script", action: "script.bash", params: { script } });
    await pidIn(file("pid"));
    if (how === "cancelled") running.cancel();
    else running.timeOut();
    expect(await running.result).toMatchObject({ status: how, output: { stdout: "so far\n", stderr: "why\n" } });
  },
);
