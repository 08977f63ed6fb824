import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { ExecutionStream } from "../../console/views/executions/execution-stream.ts";
import type { ExecutionChange } from "../../console/views/executions/merge-events.ts";

const CONNECTING = 0;
const CLOSED = 2;

/** The browser's EventSource, as far as a stream uses it. */
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

  tell(type: string, data: unknown = {}): void {
    this.#listeners.get(type)?.({ data: JSON.stringify(data) });
  }

  fail(readyState: number): void {
    this.readyState = readyState;
    this.tell("error");
  }
}

describe("an execution's stream", () => {
  let sources: FakeSource[];
  let states: string[];
  let told: (readonly ExecutionChange[])[];
  let ends: number;
  let stream: ExecutionStream;

  beforeEach(() => {
    jest.useFakeTimers();
    sources = [];
    states = [];
    told = [];
    ends = 0;
    stream = new ExecutionStream(
      "exe_1",
      {
        onChanges: (changes) => told.push(changes),
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

  test("tells a burst at once, and everything before it tells the end", () => {
    expect(sources[0]?.address).toBe("/api/v1/automation/executions/exe_1/events");
    sources[0]?.tell("open");
    sources[0]?.tell("nodeRun", { id: "a" });
    sources[0]?.tell("nodeRun", { id: "b" });
    expect(told).toEqual([]);
    jest.advanceTimersByTime(200);
    expect(told.map((changes) => changes.length)).toEqual([2]);
    sources[0]?.tell("execution", { id: "exe_1" });
    sources[0]?.tell("end");
    expect([told.length, ends, sources[0]?.closed]).toEqual([2, 1, true]);
  });

  test("is not lost when it ends by the rule and the browser comes back", () => {
    sources[0]?.tell("open");
    sources[0]?.tell("execution", { id: "exe_1" });
    sources[0]?.fail(CONNECTING);
    sources[0]?.tell("open");
    expect([states, sources.length]).toEqual([["live", "live"], 1]);
  });

  test("is lost when it does not come back, and begins anew when it was refused", () => {
    sources[0]?.fail(CONNECTING);
    sources[0]?.fail(CONNECTING);
    expect(states).toEqual(["lost"]);
    sources[0]?.fail(CLOSED);
    expect(sources.length).toBe(1);
    jest.advanceTimersByTime(30_000);
    expect(sources.length).toBe(2);
    sources[1]?.tell("open");
    sources[1]?.tell("execution", { id: "exe_1" });
    expect(states.at(-1)).toBe("live");
  });

  test("begins anew when nothing is heard of its end, and not once it is closed", () => {
    sources[0]?.tell("open");
    sources[0]?.tell("execution", { id: "exe_1" });
    jest.advanceTimersByTime(6 * 60_000);
    expect([sources.length, sources[0]?.closed]).toEqual([2, true]);
    stream.close();
    sources[1]?.fail(CLOSED);
    jest.advanceTimersByTime(60 * 60_000);
    expect(sources.length).toBe(2);
  });
});
