import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { ExecutionStream } from "../../console/views/executions/execution-stream.ts";
import type { ExecutionChange } from "../../console/views/executions/merge-events.ts";

const CONNECTING = 0;
const CLOSED = 2;

/** The part of the browser's EventSource that a stream uses. */
class FakeSource {
  readyState = CONNECTING;
  closed = false;
  readonly #listeners = new Map<string, (event: { data: string }) => void>();

  constructor(readonly address: string) {}

  addEventListener(type: string, listener: (event: { data: string }) => void): void {
    this.#listeners.set(type, listener);
  }

  close(): void {
    this.closed = true;
  }

  send(type: string, data: unknown = {}): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.send("error");
  }
}

describe("an execution's stream", () => {
  let sources: FakeSource[];
  let states: string[];
  let reported: (readonly ExecutionChange[])[];
  let ends: number;
  let stream: ExecutionStream;

  beforeEach(() => {
    jest.useFakeTimers();
    sources = [];
    states = [];
    reported = [];
    ends = 0;
    stream = new ExecutionStream(
      "exe_1",
      {
        onChanges: (changes) => reported.push(changes),
        onState: (state) => states.push(state),
        onEnd: () => {
          ends += 1;
        },
      },
      (address) => {
        const source = new FakeSource(address);
        sources.push(source);
        return source;
      },
    );
    stream.open();
  });
  afterEach(() => {
    stream.close();
    jest.useRealTimers();
  });

  test("reports a burst in one call, and all changes before the end", () => {
    expect(sources[0]?.address).toBe("/api/v1/automation/executions/exe_1/events");
    sources[0]?.send("open");
    sources[0]?.send("nodeRun", { id: "a" });
    sources[0]?.send("nodeRun", { id: "b" });
    expect(reported).toEqual([]);
    jest.advanceTimersByTime(200);
    expect(reported.map((changes) => changes.length)).toEqual([2]);
    sources[0]?.send("execution", { id: "exe_1" });
    sources[0]?.send("end");
    expect([reported.length, ends, sources[0]?.closed]).toEqual([2, 1, true]);
  });

  test("stays live when the service ends it on schedule and the browser reconnects", () => {
    sources[0]?.send("open");
    sources[0]?.send("execution", { id: "exe_1" });
    sources[0]?.fail(CONNECTING);
    sources[0]?.send("open");
    jest.advanceTimersByTime(10_000);
    expect([states, sources.length]).toEqual([["live"], 1]);
  });

  test("is lost within two seconds after it breaks", () => {
    sources[0]?.send("open");
    sources[0]?.send("execution", { id: "exe_1" });
    sources[0]?.fail(CONNECTING);
    jest.advanceTimersByTime(1_000);
    expect(states).toEqual(["live"]);
    jest.advanceTimersByTime(1_000);
    expect(states).toEqual(["live", "lost"]);
    sources[0]?.send("open");
    sources[0]?.send("execution", { id: "exe_1" });
    expect(states.at(-1)).toBe("live");
  });

  test("is lost when the browser cannot reconnect, and opens again after a refusal", () => {
    sources[0]?.fail(CONNECTING);
    sources[0]?.fail(CONNECTING);
    expect(states).toEqual(["lost"]);
    sources[0]?.fail(CLOSED);
    expect(sources.length).toBe(1);
    jest.advanceTimersByTime(30_000);
    expect(sources.length).toBe(2);
    sources[1]?.send("open");
    sources[1]?.send("execution", { id: "exe_1" });
    expect(states.at(-1)).toBe("live");
  });

  test("opens again when it is silent beyond its longest time, but not after it was closed", () => {
    sources[0]?.send("open");
    sources[0]?.send("execution", { id: "exe_1" });
    jest.advanceTimersByTime(6 * 60_000);
    expect([sources.length, sources[0]?.closed]).toEqual([2, true]);
    stream.close();
    sources[1]?.fail(CLOSED);
    jest.advanceTimersByTime(60 * 60_000);
    expect(sources.length).toBe(2);
  });
});
