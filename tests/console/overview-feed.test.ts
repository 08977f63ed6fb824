import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { ExecutionFeed } from "../../console/api/execution-feed.ts";
import type { FeedChange } from "../../console/api/execution-feed.ts";
import type { EventStream } from "../../console/api/live-stream.ts";
import type { ExecutionStatus, ExecutionSummary } from "../../schema/contract/execution.ts";

/** The browser's half of a stream, told by hand what happens to it. */
class Stream implements EventStream {
  readyState = 0;
  readonly #listeners = new Map<string, (event: { data: string }) => void>();

  addEventListener(type: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(type, listener);
  }
  close(): void {
    this.readyState = 2;
  }
  opens(): void {
    this.readyState = 1;
    this.says("open");
  }
  /** Refused: the browser gives up. Otherwise it comes back by itself. */
  breaks(how: "refused" | "passing"): void {
    this.readyState = how === "refused" ? 2 : 0;
    this.says("error");
  }
  says(type: string, data: unknown = {}): void {
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

test("asks for what the filter says, and says to read again once everything is told", () => {
  expect(streams.map(({ address }) => address)).toEqual([
    "/api/v1/automation/executions/events?workflowId=wf_1&status=running",
  ]);
  current().opens();
  current().says("ready", { seq: 1 });
  jest.advanceTimersByTime(250);
  expect(states).toEqual(["live"]);
  expect(changes).toEqual([{ reread: true, executions: [] }]);
});

test("tells a burst at once, each execution as it is now, the last change last", () => {
  current().opens();
  current().says("execution", execution("a"));
  current().says("execution", execution("b"));
  current().says("execution", execution("a", "failed"));
  expect(changes).toEqual([]);
  jest.advanceTimersByTime(250);
  expect(changes.map(({ executions }) => executions.map(({ id, status }) => [id, status]))).toEqual([
    [
      ["b", "running"],
      ["a", "failed"],
    ],
  ]);
  current().says("resync", { seq: 9, reason: "x" });
  jest.advanceTimersByTime(250);
  expect(changes.at(-1)).toEqual({ reread: true, executions: [] });
});

test("leaves it to the browser to come back where a stream was left, which is no loss", () => {
  current().opens();
  current().says("ready", { seq: 1 });
  current().breaks("passing");
  current().opens();
  expect([states, streams.length, refused]).toEqual([["live", "live"], 1, 0]);
  // Away for longer.
  current().breaks("passing");
  current().breaks("passing");
  expect([states.at(-1), streams.length]).toEqual(["lost", 1]);
  current().opens();
  expect(states.at(-1)).toBe("live");
});

test("tries a refused stream again, each time later, and asks whether the session is over", () => {
  const waits: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    const before = streams.length;
    current().breaks("refused");
    let waited = 0;
    for (; streams.length === before; waited += 1_000) jest.advanceTimersByTime(1_000);
    waits.push(waited / 1_000);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  expect([refused, states.every((state) => state === "lost")]).toEqual([7, true]);
  current().opens();
  current().breaks("refused");
  jest.advanceTimersByTime(1_000);
  expect(streams.length).toBe(9);
});

test("is lost when it does not begin, or begins without a word, and is live again with the first one", () => {
  jest.advanceTimersByTime(10_000);
  expect(states).toEqual(["lost"]);
  // Something in between has answered, and keeps what the service says.
  current().opens();
  expect(states).toEqual(["lost"]);
  current().says("ready", { seq: 1 });
  expect(states).toEqual(["lost", "live"]);
  jest.advanceTimersByTime(60_000);
  expect([streams.length, states.at(-1)]).toEqual([1, "live"]);
});

test("is lost when what the browser comes back to does not answer, and begins anew after a while", () => {
  current().opens();
  current().says("ready", { seq: 1 });
  current().breaks("passing");
  jest.advanceTimersByTime(10_000);
  expect([states, streams.length]).toEqual([["live", "lost"], 1]);
  jest.advanceTimersByTime(30_000);
  expect(streams.length).toBe(2);
});

test("is lost when each stream is broken off before its first word", () => {
  for (let second = 0; second < 12; second += 1) {
    current().opens();
    current().breaks("passing");
    jest.advanceTimersByTime(1_000);
  }
  current().opens();
  expect(states.at(-1)).toBe("lost");
});

test("takes a stream that outlasts what the service allows for dead", () => {
  current().opens();
  current().says("ready", { seq: 1 });
  jest.advanceTimersByTime(5.5 * 60_000 - 1);
  expect(streams.length).toBe(1);
  jest.advanceTimersByTime(1);
  expect([streams.length, streams[0]?.stream.readyState, states.at(-1)]).toEqual([2, 2, "lost"]);
});

test("is silent once it is closed", () => {
  current().opens();
  current().says("execution", execution("a"));
  feed.close();
  current().breaks("refused");
  jest.advanceTimersByTime(60 * 60_000);
  expect([changes, streams.length, refused]).toEqual([[], 1, 0]);
});
