import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { LAST_OUTPUT_MS } from "../../../agent/executors/shared/held-output.ts";
import { HostedPrograms } from "../../../agent/programs/hosted.ts";
import { JOB_COMMAND } from "../../../agent/programs/job-process.ts";
import { buildAgent } from "../../../scripts/build-agent.ts";
import { eventually } from "../../support/eventually.ts";
import { temporaryState } from "../../support/executor-context.ts";
import { isRunning, pidIn } from "../../support/processes.ts";
import { channelTo } from "../../support/programs.ts";

/** More than the pipes between program and agent hold. */
const BYTES = 300_000;
/** The messages `ready` and `started`. */
const FIRST_BYTES = 10;

let state: { path: string; remove: () => Promise<void> };
beforeEach(async () => {
  state = await temporaryState();
});
afterEach(() => state.remove());

function file(name: string): string {
  return join(state.path, name);
}

/** A job process whose messages after `started` wait until the file `go` exists, as with a busy agent. */
async function busyAgent() {
  const wait = `dd bs=1 count=${FIRST_BYTES} status=none; until [ -e "$1" ] || [ ! -d "$2" ]; do sleep 0.05; done; exec cat`;
  return channelTo("sh", "-c", `"$0" ${JOB_COMMAND} | { ${wait}; }`, await buildAgent(), file("go"), state.path);
}

test("what a program prints while it is ended reaches an agent that is busy", async () => {
  const programs = new HostedPrograms(busyAgent);
  const script = `trap 'printf %0${BYTES}d 0; exit 3' TERM; echo $$ > ${file("pid")}; while :; do sleep 0.05; done`;
  const program = await programs.start({ argv: ["bash", "-c", script], env: {}, mark: "mark" });
  const pid = await pidIn(file("pid"));
  const ending = program.end("everything");
  await eventually("the end of the program", () => !isRunning(pid));
  const endedAt = performance.now();
  await eventually("the limit for output to be over", () => performance.now() - endedAt > 2 * LAST_OUTPUT_MS);
  await Bun.write(file("go"), "");
  expect((await new Response(program.stdout).text()).length).toBe(BYTES);
  expect(await program.exited).toEqual({ exitCode: 3, signal: null });
  await ending;
  await programs.stop();
});
