import { describe, expect, test } from "bun:test";
import { StepFeed } from "../../../worker/actors/feed/step-feed.ts";
import type { StepSource } from "../../../worker/actors/feed/step-feed.ts";
import type { SequencedStep } from "../../../worker/store/execution-events.ts";
import { eventually } from "../../support/eventually.ts";
import { FastClock } from "../../support/stream-clock.ts";

/** Steps numbered from 1, each of another execution. */
class FakeSteps implements StepSource {
  count = 0;
  looks = 0;
  failures = 0;

  async latest(): Promise<number> {
    this.#mayFail();
    return this.count;
  }

  async after(seq: number, limit: number): Promise<{ latest: number; seq: number; steps: SequencedStep[] }> {
    this.looks += 1;
    this.#mayFail();
    const steps: SequencedStep[] = [];
    for (let at = seq + 1; at <= this.count && steps.length < limit; at += 1) steps.push(step(at));
    return { latest: this.count, seq: steps.at(-1)?.seq ?? seq, steps };
  }

  #mayFail(): void {
    if (this.failures === 0) return;
    this.failures -= 1;
    throw new Error("libSQL is away");
  }
}

function step(seq: number): SequencedStep {
  return {
    seq,
    execution: {
      id: `exe_${seq}`,
      workflowId: "wf_1",
      versionId: "wfv_1",
      status: "running",
      trigger: null,
      triggerKey: "k",
      webhookKey: null,
      revision: 1,
      depth: 0,
      parentExecutionId: null,
      parentWorkflowId: null,
      parentNodeRunId: null,
      rootExecutionId: null,
      retryOf: null,
      startedBy: [],
      approved: null,
      error: null,
      startedAt: 0,
      begunAt: null,
      finishedAt: null,
      wakeAt: null,
      hold: null,
      concurrencyKey: null,
      limits: null,
      suppressed: null,
      supersededBy: null,
    },
  };
}
const seqsOf = (page: Awaited<ReturnType<StepFeed["next"]>>) =>
  page.type === "steps" ? page.steps.map(({ seq }) => seq) : page.type;

/** Asks repeatedly, like a stream, until there are steps. */
async function stepsAfter(feed: StepFeed, after: number) {
  for (;;) {
    const page = await feed.next(after);
    if (page.type !== "steps" || page.steps.length > 0) return page;
  }
}

describe("the feed of steps", () => {
  test("gives its position, then every step once, to all readers from one query", async () => {
    const [source, clock] = [new FakeSteps(), new FastClock()];
    source.count = 10;
    const feed = new StepFeed(source, clock);
    expect(await feed.next(null)).toEqual({ type: "steps", seq: 10, steps: [] });
    const waiting = Array.from({ length: 20 }, () => stepsAfter(feed, 10));
    await eventually("twenty waiting readers", () => feed.watchers === 20);
    source.count = 12;
    const looks = source.looks;
    for (const page of await Promise.all(waiting)) expect(seqsOf(page)).toEqual([11, 12]);
    expect(source.looks - looks).toBeLessThan(5);
    expect(seqsOf(await feed.next(11))).toEqual([12]);
  });

  test("queries only while a reader waits", async () => {
    const [source, clock] = [new FakeSteps(), new FastClock()];
    const feed = new StepFeed(source, clock);
    await clock.sleep(60_000);
    expect(source.looks).toBe(0);
    const start = clock.now();
    expect(await feed.next(0)).toEqual({ type: "steps", seq: 0, steps: [] });
    expect(clock.now() - start).toBeGreaterThanOrEqual(20_000);
    let before = -1;
    await eventually("the end of the queries", async () => {
      if (before === source.looks) return true;
      before = source.looks;
      for (let i = 0; i < 20; i += 1) await clock.sleep(0);
      return false;
    });
    source.count = 3;
    // The feed starts again at the current end of the sequence.
    expect((await feed.next(0)).type).toBe("behind");
  });

  test("gives a burst of several pages completely, and reports a mark before its oldest step as behind", async () => {
    const [source, clock] = [new FakeSteps(), new FastClock()];
    const feed = new StepFeed(source, clock);
    await feed.next(null);
    const waiting = stepsAfter(feed, 0);
    await eventually("a waiting reader", () => feed.watchers === 1);
    source.count = 900;
    const seen: number[] = [];
    for (let page = await waiting; page.type === "steps"; page = await stepsAfter(feed, page.seq)) {
      seen.push(...page.steps.map(({ seq }) => seq));
      if (page.seq === 900) break;
    }
    expect(seen).toEqual(Array.from({ length: 900 }, (_, index) => index + 1));
    source.count = 1_400;
    await eventually("the rest", async () => seqsOf(await stepsAfter(feed, 1_399)).length === 1);
    expect((await feed.next(100)).type).toBe("behind");
    expect(seqsOf(await feed.next(1_398))).toEqual([1_399, 1_400]);
  });

  test("reports a restarted sequence to waiting readers and to readers with an old mark", async () => {
    const [source, clock] = [new FakeSteps(), new FastClock()];
    source.count = 50;
    const feed = new StepFeed(source, clock);
    const waiting = stepsAfter(feed, 50);
    await eventually("a waiting reader", () => feed.watchers === 1);
    source.count = 2;
    expect(await waiting).toEqual({ type: "resync", seq: 2 });
    expect(await feed.next(50)).toEqual({ type: "resync", seq: 2 });
  });

  test("loses no step in a short database outage", async () => {
    const [source, clock] = [new FakeSteps(), new FastClock()];
    source.failures = 1;
    const feed = new StepFeed(source, clock);
    await expect(feed.next(null)).rejects.toThrow("away");
    await feed.next(null);
    const waiting = stepsAfter(feed, 0);
    await eventually("a waiting reader", () => feed.watchers === 1);
    source.failures = 3;
    source.count = 1;
    expect(seqsOf(await waiting)).toEqual([1]);
  });
});
