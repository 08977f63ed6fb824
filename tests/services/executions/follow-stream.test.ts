import { describe, expect, test } from "bun:test";
import { STREAM_HEARTBEAT_MS, STREAM_MAX_MS } from "../../../schema/contract/execution-event.ts";
import type { ExecutionStatus } from "../../../schema/contract/execution.ts";
import type { ExecutionChanges } from "../../../worker/store/execution-events.ts";
import type { StreamEvent } from "../../../worker/services/executions/events-stream.ts";
import { toSummary } from "../../../worker/services/executions/view.ts";
import { followStream } from "../../../worker/services/executions/follow-stream.ts";
import type { ExecutionSource } from "../../../worker/services/executions/follow-stream.ts";
import type { JobState } from "../../../worker/actors/dispatcher/index.ts";
import { FastClock } from "../../support/stream-clock.ts";

const NO_TIMES = {
  queuedAt: null,
  assignedAt: null,
  deliveredAt: null,
  startedAt: null,
  begunAt: null,
  finishedAt: null,
  reportedAt: null,
};

/** An execution of one node whose job is running. */
class FakeSource implements ExecutionSource {
  revision = 1;
  status: ExecutionStatus = "running";
  state: JobState | null = {
    jobId: "job_1",
    status: "queued",
    agentId: null,
    waiting: { code: "full", detail: "because" },
    times: NO_TIMES,
  };
  failures = 0;
  asked = 0;
  gone = false;

  read(after: number): Promise<ExecutionChanges | null> {
    if (this.failures > 0) {
      this.failures -= 1;
      return Promise.reject(new Error("libSQL is away"));
    }
    if (this.gone) return Promise.resolve(null);
    const run = {
      id: "run_1",
      executionId: "exe_1",
      nodeId: "a",
      iterationPath: "",
      status: "running" as const,
      outcome: null,
      attempt: 1,
      jobId: "job_1",
      childExecutionId: null,
      revision: this.revision,
      error: null,
      warnings: null,
      wakeAt: null,
      ...NO_TIMES,
    };
    const row = {
      id: "exe_1",
      workflowId: "wf_1",
      versionId: "wfv_1",
      status: this.status,
      revision: this.revision,
      depth: 0,
      trigger: {
        type: "webhook" as const,
        variables: {},
      },
      triggerKey: "k",
      webhookKey: null,
      retryOf: null,
      startedBy: [],
      approved: null,
      parentExecutionId: null,
      parentWorkflowId: null,
      parentNodeRunId: null,
      rootExecutionId: null,
      error: null,
      wakeAt: null,
      hold: null,
      concurrencyKey: null,
      limits: null,
      suppressed: null,
      supersededBy: null,
      startedAt: 0,
      begunAt: null,
      finishedAt: null,
    };
    const runs = this.revision > after ? [{ run, output: null }] : [];
    return Promise.resolve({ row, runs, openJobs: [{ id: "job_1", poolObject: "pool:p" }] });
  }

  nextRevision(after: number): Promise<number | null> {
    this.asked += 1;
    if (this.gone) return Promise.resolve(null);
    return Promise.resolve(Math.max(after, this.revision));
  }

  summary(row: Parameters<typeof toSummary>[0]) {
    return Promise.resolve(toSummary(row));
  }

  answerers(): Promise<ReadonlyMap<string, string>> {
    return Promise.resolve(new Map());
  }

  jobStates(): Promise<ReadonlyMap<string, JobState>> {
    return Promise.resolve(new Map(this.state === null ? [] : [["job_1", this.state]]));
  }
}

/** Events up to the first one that `last` accepts, heartbeats among them. */
async function take(events: AsyncGenerator<StreamEvent, void>, last: (event: StreamEvent) => boolean) {
  const taken: StreamEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (last(event)) return taken;
  }
  return taken;
}
const named = (name: string) => (event: StreamEvent) => event.event === name;

describe("a stream of one execution", () => {
  test("has heartbeats, ends with reconnect after its time, and pauses between its reads", async () => {
    const [source, clock] = [new FakeSource(), new FastClock()];
    const events = await take(followStream(source, { after: null }, clock), named("never"));
    expect(events.at(-1)).toMatchObject({ event: "reconnect", data: { reason: expect.any(String) } });
    expect(events.filter(({ heartbeat }) => heartbeat).length).toBeGreaterThanOrEqual(
      STREAM_MAX_MS / STREAM_HEARTBEAT_MS - 2,
    );
    expect(source.asked).toBeLessThan(STREAM_MAX_MS / 200);
  });

  test("continues after libSQL was unavailable, at the start and later, and has no gaps", async () => {
    const [source, clock] = [new FakeSource(), new FastClock()];
    source.failures = 3;
    const stream = followStream(source, { after: null }, clock);
    expect((await take(stream, named("execution"))).at(-1)?.id).toBe(1);
    source.failures = 3;
    source.revision = 4;
    const rest = await take(followStream(source, { after: 1 }, clock), named("execution"));
    expect(rest.map(({ event }) => event)).toEqual([undefined, "nodeRun", "execution"]);
    expect(rest.at(-1)?.id).toBe(4);
  });

  test("keeps a dispatcher's last state when the dispatcher does not answer for a moment", async () => {
    const [source, clock] = [new FakeSource(), new FastClock()];
    const one = followStream(source, { after: null }, clock);
    for (let event = (await one.next()).value; event?.event !== "execution"; event = (await one.next()).value);
    source.state = null;
    const silent = await one.next();
    expect(silent.value).toEqual({ heartbeat: true });
    source.state = { jobId: "job_1", status: "delivered", agentId: "agt_1", waiting: null, times: NO_TIMES };
    for (;;) {
      const { value } = await one.next();
      if (value?.heartbeat) continue;
      expect(value).toMatchObject({ event: "nodeRun", data: { status: "running", waitingFor: null } });
      expect(value?.id).toBeUndefined();
      break;
    }
    await one.return();
  });

  test("ends with reconnect when its execution no longer exists", async () => {
    const [source, clock] = [new FakeSource(), new FastClock()];
    const stream = followStream(source, { after: null }, clock);
    expect((await stream.next()).value).toMatchObject({ retryMs: 1_000 });
    expect((await stream.next()).value).toMatchObject({ event: "execution" });
    source.gone = true;
    expect((await take(stream, named("never"))).map(({ event }) => event)).toEqual(["reconnect"]);
  });

  test("has one end, with the last revision", async () => {
    const [source, clock] = [new FakeSource(), new FastClock()];
    source.status = "succeeded";
    source.revision = 7;
    const events = await take(followStream(source, { after: 6 }, clock), named("never"));
    expect(events.slice(1).map(({ event, id }) => [event, id])).toEqual([
      ["nodeRun", undefined],
      ["execution", 7],
      ["end", 7],
    ]);
  });
});
