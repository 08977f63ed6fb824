import { describe, expect, test } from "bun:test";
import { tickLabel } from "../../console/strings/time.ts";
import { barOf } from "../../console/views/executions/timeline/bars.ts";
import { keysAround } from "../../console/views/executions/timeline/rows.ts";
import type { IsOpen } from "../../console/views/executions/timeline/rows.ts";
import { panned, percentAt, ticksOf, zoomed } from "../../console/views/executions/timeline/time-window.ts";
import type { NodeRunView } from "../../schema/contract/execution.ts";
import type { Node } from "../../schema/contract/workflow.ts";
import { START_MS, action, done, edges, execution, loop, run, timeline } from "./timeline-scene.ts";

describe("a bar", () => {
  const CASES: [name: string, run: NodeRunView, type: Node["type"], parts: string[]][] = [
    [
      "waits in the queue, then runs",
      run("a", "succeeded", { queued: 1, started: 3, finished: 9 }),
      "action",
      ["waiting 1-3", "running 3-9"],
    ],
    ["is only waiting for an agent", run("a", "running", { queued: 1 }), "action", ["waiting 1-50"]],
    ["runs until now", run("a", "running", { queued: 1, started: 3 }), "action", ["waiting 1-3", "running 3-50"]],
    [
      "waits again between two attempts",
      run("a", "waiting", { queued: 10, started: 10, finished: 12 }, { attempt: 2 }),
      "action",
      ["earlier 0-10", "running 10-12", "waiting 12-50"],
    ],
    [
      "begins with the earlier attempts",
      run("a", "failed", { queued: 10, started: 11, finished: 12 }, { attempt: 2 }),
      "action",
      ["earlier 0-10", "waiting 10-11", "running 11-12"],
    ],
    ["of an approval waits", run("a", "waiting", { queued: 1, started: 1 }), "approval", ["waiting 1-50"]],
    ["of a delay waits", run("a", "succeeded", { started: 1, finished: 31 }), "delay", ["waiting 1-31"]],
    ["of a sub-workflow runs", run("a", "running", { started: 1 }), "workflow", ["running 1-50"]],
    ["of a forEach is one part", run("a", "running", { started: 1 }), "forEach", ["whole 1-50"]],
    [
      "of a cancelled job in the queue ends with the cancel",
      run("a", "cancelled", { queued: 1, finished: 4 }),
      "action",
      ["waiting 1-4"],
    ],
    ["without a job is a moment", run("a", "failed", { finished: 4 }), "action", ["running 4-4"]],
    [
      "does not go back when the agent's clock is slow",
      run("a", "succeeded", { queued: 5, started: 4, finished: 6 }),
      "action",
      ["running 5-6"],
    ],
    ["is empty before the step", run("a", "pending"), "action", []],
    ["is empty for a skipped step", run("a", "skipped"), "action", []],
  ];
  test.each(CASES)("%s", (_name, of, type, parts) => {
    const seconds = (ms: number) => (ms - START_MS) / 1_000;
    const found = barOf(of, type, START_MS + 50_000, START_MS);
    expect(found.map(({ kind, from, to }) => `${kind} ${seconds(from)}-${seconds(to)}`)).toEqual(parts);
  });
});

describe("the rows", () => {
  const definition = {
    nodes: [action("late"), loop("each", [action("work"), action("check")], edges("work check"))],
    edges: [],
  };
  const runs = [
    done("late", 30, 40),
    done("each", 0, 20),
    done("work", 0, 4, { iteration: [0] }),
    done("check", 4, 5, { iteration: [0] }),
    run("work", "failed", { queued: 5, started: 5, finished: 20 }, { iteration: [1] }),
    run("check", "skipped", {}, { iteration: [1] }),
  ];
  const keys = (isOpen: IsOpen) => timeline(execution(runs), definition, isOpen).rows.map(({ key }) => key);

  test("are in the order in which the steps began, and a closed forEach is one row", () => {
    expect(keys(() => false)).toEqual(["each", "late"]);
    expect(keys(({ isItem }) => !isItem)).toEqual(["each", "each 0 item", "each 1 item", "late"]);
    expect(keys(({ key }) => key.startsWith("each") && key !== "each 0 item")).toEqual([
      "each",
      "each 0 item",
      "each 1 item",
      "work 1",
      "check 1",
      "late",
    ]);
  });

  test("of an iteration show the step that failed", () => {
    const { rows } = timeline(execution(runs), definition, ({ isItem }) => !isItem);
    expect(rows.map(({ status, run: of }) => [status, of?.id])).toEqual([
      ["succeeded", "each"],
      ["succeeded", "work#0"],
      ["failed", "work#1"],
      ["succeeded", "late"],
    ]);
  });

  test("around a step are those of its forEach and its iteration", () => {
    expect([...keysAround(definition, "check", [1])]).toEqual(["each", "each 1 item"]);
    expect([...keysAround(definition, "late", [])]).toEqual([]);
  });

  test("of an earlier run have no bar, and the time begins with this run", () => {
    const { rows, from } = timeline(execution([done("a", -600, -500), done("b", 1, 2)], { retryOf: "exe_0" }), {
      nodes: [action("b"), action("a")],
      edges: edges("a b"),
    });
    expect(rows.map(({ key, isKept, parts }) => [key, isKept, parts().length])).toEqual([
      ["a", true, 0],
      ["b", false, 1],
    ]);
    expect(from).toBe(START_MS);
  });

  test("of 9,000 node runs are one for each item while the items are closed", () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      Array.from({ length: 9 }, (_, step) =>
        done(`step${step}`, index * 9 + step, index * 9 + step + 1, { iteration: [index] }),
      ),
    ).flat();
    const nine = Array.from({ length: 9 }, (_, step) => action(`step${step}`));
    const inOrder = edges(...Array.from({ length: 8 }, (_, step) => `step${step} step${step + 1}`));
    const big = { nodes: [loop("each", nine, inOrder)], edges: [] };
    const { rows } = timeline(execution([done("each", 0, 9_000), ...many]), big, ({ isItem }) => !isItem);
    expect(rows.length).toBe(1_001);
    expect(rows.every(({ isCritical }) => isCritical)).toBe(true);
  });
});

describe("the shown span of time", () => {
  const whole = { from: 0, to: 1_000 };
  test("zooms around an instant, which keeps its place, and never beyond the whole", () => {
    const closer = zoomed(whole, whole, 0.5, 200);
    expect(closer).toEqual({ from: 100, to: 600 });
    expect(percentAt(closer, 200)).toBe(percentAt(whole, 200));
    expect(zoomed(closer, whole, 10, 200)).toEqual(whole);
    expect(zoomed(whole, whole, 0.000_1, 1_000)).toEqual({ from: 980, to: 1_000 });
  });

  test("pans up to the ends", () => {
    expect(panned({ from: 100, to: 600 }, whole, 100)).toEqual({ from: 200, to: 700 });
    expect(panned({ from: 100, to: 600 }, whole, -5_000)).toEqual({ from: 0, to: 500 });
    expect(panned({ from: 100, to: 600 }, whole, 5_000)).toEqual({ from: 500, to: 1_000 });
  });

  test("of no length has every instant at its start", () => {
    expect(percentAt({ from: 5, to: 5 }, 5)).toBe(0);
    expect(zoomed({ from: 5, to: 5 }, { from: 5, to: 5 }, 0.5, 5)).toEqual({ from: 5, to: 5 });
  });

  test.each([
    [{ from: 0, to: 1_000 }, 900, 100, ["0", "100 ms", "200 ms"]],
    [{ from: 10_000, to: 11_000 }, 450, 200, ["10.0 s", "10.2 s", "10.4 s"]],
    [{ from: 0, to: 90_000 }, 540, 15_000, ["0", "15 s", "30 s"]],
    [{ from: 3_600_000, to: 3_690_000 }, 270, 30_000, ["1 h", "1 h 30 s", "1 h 1 min"]],
    [{ from: 0, to: 90 * 86_400_000 }, 270, 5 * 604_800_000, ["0", "35 d", "70 d"]],
  ])("%j on %i px has a tick every %i ms", (span, width, step, labels) => {
    const { stepMs, at } = ticksOf(span, { from: 0, to: span.to }, width);
    expect(stepMs).toBe(step);
    expect(at.slice(0, 3).map((ms) => tickLabel(ms, stepMs))).toEqual(labels);
  });
});
