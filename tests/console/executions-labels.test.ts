import { describe, expect, test } from "bun:test";
import { excerptOf, outputParts } from "../../console/views/executions/output-parts.ts";
import { executionSteps } from "../../console/strings/en/execution-steps.ts";
import { stagesOf, widthsOf } from "../../console/views/executions/timeline.ts";
import { waitsFor } from "../../console/views/executions/waits-for.ts";
import type { Timeline } from "../../schema/contract/execution.ts";
import type { Waiting } from "../../schema/contract/waiting.ts";

const NEVER: Timeline = {
  queuedAt: null,
  assignedAt: null,
  deliveredAt: null,
  startedAt: null,
  finishedAt: null,
  reportedAt: null,
};
const second = (count: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, count)).toISOString();

describe("a node run as text", () => {
  test("has the stages that it reached with their durations", () => {
    const timeline = { ...NEVER, queuedAt: second(0), assignedAt: second(2), deliveredAt: second(1) };
    const stages = stagesOf(timeline, Date.parse(second(11)), null);
    expect(stages.map(({ name, ms }) => `${name} ${ms}`)).toEqual(["queued 2000", "assigned 0", "delivered 10000"]);
    expect(stages.at(-1)?.activity).toBe("delivered, waiting for the agent to report the start");
    expect(Math.round(widthsOf(stages).reduce((sum, width) => sum + width, 0))).toBe(100);
    const ended = { ...timeline, startedAt: second(3), finishedAt: second(4), reportedAt: second(5) };
    expect(stagesOf(ended, null, null).at(-1)).toMatchObject({ name: "reported", ms: null });
    expect(stagesOf(ended, null, null)[2]?.activity).toBe("on the agent, not started");
    const approval = stagesOf(
      { ...NEVER, queuedAt: second(0), startedAt: second(0) },
      Date.parse(second(3)),
      "waiting",
    );
    expect(approval).toEqual([{ name: "started", at: second(0), ms: 3_000, activity: "waiting" }]);
    expect(widthsOf([])).toEqual([]);
  });

  test("shows the agents that lost the job before the agent that has it", () => {
    const timeline = {
      ...NEVER,
      queuedAt: second(0),
      assignedAt: second(31),
      deliveredAt: second(32),
      startedAt: second(32),
    };
    const lost = { agentId: "agt_2", agentName: "web-2", attempt: 1, deliveredAt: second(1), startedAt: second(2) };
    const assignments = [
      { ...lost, lostAt: second(30), why: "Agent web-2 was silent for 28 s." },
      {
        agentId: "agt_1",
        agentName: null,
        attempt: 2,
        deliveredAt: second(32),
        startedAt: second(32),
        lostAt: null,
        why: null,
      },
    ];
    const stages = stagesOf(timeline, Date.parse(second(40)), null, assignments);
    expect(stages.map(({ name, ms, activity, note }) => [name, (ms ?? 0) / 1_000, activity, note])).toEqual([
      ["queued", 1, "waiting for an agent", undefined],
      ["delivered", 1, "on the agent, not started", "to web-2"],
      ["started", 28, "running", undefined],
      ["lost", 1, "waiting for an agent", "Agent web-2 was silent for 28 s."],
      ["assigned", 1, "waiting for the agent to fetch it", undefined],
      ["delivered", 0, "on the agent, not started", "to agt_1"],
      ["started", 8, "running", undefined],
    ]);
  });

  test("shows no start with an agent that lost the job before it reported the start", () => {
    const lost = { agentId: "agt_2", agentName: "web-2", attempt: 1, deliveredAt: second(1), startedAt: null };
    const assignments = [{ ...lost, lostAt: second(30), why: "Agent web-2 was silent for 28 s." }];
    const stages = stagesOf({ ...NEVER, queuedAt: second(0) }, Date.parse(second(40)), null, assignments);
    expect(stages.map(({ name, activity }) => [name, activity])).toEqual([
      ["queued", "waiting for an agent"],
      ["delivered", "sent to the agent, which did not report a start"],
      ["lost", "waiting for an agent"],
    ]);
  });

  test("says whether a second run is safe, starting with yes or no", () => {
    expect(Object.values(executionSteps.facts.safe).map((label) => label.split(":")[0])).toEqual(["yes", "yes", "no"]);
    expect(executionSteps.facts.safe.unsafe).toBe("no: repeating it does the work twice");
  });

  test.each<[Waiting, string]>([
    [{ code: "no_agent", detail: "The pool has no agent yet." }, "Waiting: The pool has no agent yet."],
    [{ code: "approval", detail: "someone's approval" }, "Waiting for someone's approval."],
    [
      { code: "sub_workflow", executionId: "exe_0198", detail: "the execution exe_0198 to end" },
      "Waiting for the sub-workflow to end.",
    ],
  ])("says why it waits: %o", (waiting, expected) => {
    expect(waitsFor(waiting)).toBe(expected);
  });

  test("shows an instant as a date for people", () => {
    const until = "2026-01-02T03:04:05.000Z";
    const sentence = waitsFor({ code: "retry", until, detail: `attempt 2, which begins at ${until}` });
    expect(sentence).toStartWith("Waiting for attempt 2, which begins at ");
    expect(sentence).toContain("2 Jan 2026");
  });

  test("shows stdout and stderr as text, and other output as JSON", () => {
    const output = { stdout: "a\nb\n", stderr: "", exitCode: 1, truncated: true, droppedBytes: 7, statusCode: 200 };
    expect(outputParts(output)).toEqual({
      exitCode: 1,
      truncated: true,
      droppedBytes: 7,
      parts: [
        { title: "stdout", text: "a\nb\n", isJson: false },
        { title: "JSON", text: '{\n  "statusCode": 200\n}', isJson: true },
      ],
    });
    const both = outputParts({ stdout: "did", stderr: "failed" });
    expect(both.parts.map(({ title }) => title)).toEqual(["stderr", "stdout"]);
    // An older agent does not count, and a masked count is no number.
    expect(outputParts({ truncated: true }).droppedBytes).toBeNull();
    for (const droppedBytes of ["***", -5, 0.5, 1e300]) {
      expect(outputParts({ truncated: true, droppedBytes }).droppedBytes).toBeNull();
    }
    expect(outputParts("said").parts).toMatchObject([{ text: "said" }]);
    expect(outputParts([1]).parts).toMatchObject([{ text: "[\n  1\n]" }]);
    expect(outputParts({ stdout: 7 }).parts).toMatchObject([{ title: "JSON", text: '{\n  "stdout": 7\n}' }]);
    expect(outputParts({ stdout: "", stderr: "" }).parts).toEqual([]);
  });

  test("shows the last whole lines of stdout and stderr, and the start of other output", () => {
    expect(excerptOf("short", true, 10)).toEqual({ from: 0, to: 5 });
    expect(excerptOf("one\ntwo\nthree\n", true, 8)).toEqual({ from: 8, to: 14 });
    expect(excerptOf("one\ntwo\nthree\n", false, 9)).toEqual({ from: 0, to: 7 });
    expect(excerptOf("x".repeat(20), true, 8)).toEqual({ from: 12, to: 20 });
  });
});
