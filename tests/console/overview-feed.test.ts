import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { ExecutionFeed } from "../../console/api/execution-feed.ts";
import type { FeedChange } from "../../console/api/execution-feed.ts";
import type { EventStream } from "../../console/api/live-stream.ts";
import type { ExecutionStatus, ExecutionSummary } from "../../schema/contract/execution.ts";

/** A fake of the browser's EventSource, controlled by the test. */
class Stream implements EventStream {
  readyState = 0;
  readonly #listeners = new Map<string, (event: { data: string }) => void>();

  addEventListener(type: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.readyState = 2;
  }
  accept(): void {
    this.readyState = 1;
    this.send("open");
  }
  /** After `refused` the browser gives up. After `interrupted` it reconnects automatically. */
  fail(how: "refused" | "interrupted"): void {
    this.readyState = how === "refused" ? 2 : 0;
    this.send("error");
  }
  send(type: string, data: unknown = {}): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }
}

let streams: { address: string; stream: Stream }[];
let changes: FeedChange[];
let states: string[];
let refused: number;
let feed: ExecutionFeed;
const current = () => streams.at(-1)?.stream ?? new Stream();

beforeEach(() => {
  jest.useFakeTimers();
  [streams, changes, states, refused] = [[], [], [], 0];
  feed = new ExecutionFeed(
    { workflowId: "wf_1", status: "running" },
    {
      onChange: (change) => changes.push(change),
      onState: (state) => states.push(state),
      onRefused: () => (refused += 1),
    },
    (address) => {
      const stream = new Stream();
      streams.push({ address, stream });
      return stream;
    },
  );
  feed.open();
});
afterEach(() => {
  feed.close();
  jest.useRealTimers();
});

const execution = (id: string, status: ExecutionStatus = "running"): ExecutionSummary => ({
  id,
  workflowId: "wf_1",
  versionId: "wfv_1",
  status,
  trigger: { type: "manual", variables: {}, by: null },
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  error: null,
  revision: 1,
  retryOf: null,
  parentExecutionId: null,
});

test("a feed requests its filter, and asks for a new read after the first `ready`", () => {
  expect(streams.map(({ address }) => address)).toEqual([
    "/api/v1/automation/executions/events?workflowId=wf_1&status=running",
  ]);
  current().accept();
  current().send("ready", { seq: 1 });
  jest.advanceTimersByTime(250);
  expect(states).toEqual(["live"]);
  expect(changes).toEqual([{ reread: true, executions: [] }]);
});

test("a burst is reported in one call, with the newest state of each execution, the last change last", () => {
  current().accept();
  current().send("execution", execution("a"));
  current().send("execution", execution("b"));
  current().send("execution", execution("a", "failed"));
  expect(changes).toEqual([]);
  jest.advanceTimersByTime(250);
  expect(changes.map(({ executions }) => executions.map(({ id, status }) => [id, status]))).toEqual([
    [
      ["b", "running"],
      ["a", "failed"],
    ],
  ]);
  current().send("resync", { seq: 9, reason: "x" });
  jest.advanceTimersByTime(250);
  expect(changes.at(-1)).toEqual({ reread: true, executions: [] });
});

test("a feed stays live when the browser reconnects to an interrupted stream", () => {
  current().accept();
  current().send("ready", { seq: 1 });
  current().fail("interrupted");
  current().accept();
  expect([states, streams.length, refused]).toEqual([["live"], 1, 0]);
  // Two failures in a row: the feed is lost.
  current().fail("interrupted");
  current().fail("interrupted");
  expect([states.at(-1), streams.length]).toEqual(["lost", 1]);
  current().accept();
  expect(states.at(-1)).toBe("live");
});

test("a refused stream is opened again after growing waits, and each refusal is reported", () => {
  const waits: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    const before = streams.length;
    current().fail("refused");
    let waited = 0;
    for (; streams.length === before; waited += 1_000) jest.advanceTimersByTime(1_000);
    waits.push(waited / 1_000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect([refused, states.every((state) => state === "lost")]).toEqual([7, true]);
  current().accept();
  current().fail("refused");
  jest.advanceTimersByTime(1_000);
  expect(streams.length).toBe(9);
});

test("a feed is lost without a first event within 10 s, and live again with the first event", () => {
  jest.advanceTimersByTime(10_000);
  expect(states).toEqual(["lost"]);
  // A proxy has answered but holds the service's events back.
  current().accept();
  expect(states).toEqual(["lost"]);
  current().send("ready", { seq: 1 });
  expect(states).toEqual(["lost", "live"]);
  jest.advanceTimersByTime(60_000);
  expect([streams.length, states.at(-1)]).toEqual([1, "live"]);
});

test("a feed is lost when the reconnect gets no answer, and opens again after 30 s more", () => {
  current().accept();
  current().send("ready", { seq: 1 });
  current().fail("interrupted");
  jest.advanceTimersByTime(10_000);
  expect([states, streams.length]).toEqual([["live", "lost"], 1]);
  jest.advanceTimersByTime(30_000);
  expect(streams.length).toBe(2);
});

test("a feed is lost when each stream breaks off before its first event", () => {
  for (let second = 0; second < 12; second += 1) {
    current().accept();
    current().fail("interrupted");
    jest.advanceTimersByTime(1_000);
  }
  current().accept();
  expect(states.at(-1)).toBe("lost");
});

test("a stream that outlasts the service's limit is replaced", () => {
  current().accept();
  current().send("ready", { seq: 1 });
  jest.advanceTimersByTime(5.5 * 60_000 - 1);
  expect(streams.length).toBe(1);
  jest.advanceTimersByTime(1);
  expect([streams.length, streams[0]?.stream.readyState, states.at(-1)]).toEqual([2, 2, "lost"]);
});

test("a closed feed reports nothing and opens no streams", () => {
  current().accept();
  current().send("execution", execution("a"));
  feed.close();
  current().fail("refused");
  jest.advanceTimersByTime(60 * 60_000);
  expect([changes, streams.length, refused]).toEqual([[], 1, 0]);
});
