import { describe, expect, test } from "bun:test";
import { clockAhead } from "../../console/api/service-clock.ts";
import { fromLocalField, toLocalField } from "../../console/views/executions/list-filter.ts";
import { NOTHING_REPORTED, leaveOut, rowsOf, takeIn } from "../../console/views/executions/live-list.ts";
import { laterOf } from "../../console/views/executions/merge-events.ts";
import { terminalText } from "../../console/views/executions/output/terminal-text.ts";
import { sizeLabel } from "../../console/views/executions/output-parts.ts";
import { stagesOf } from "../../console/views/executions/timeline.ts";
import { notDone } from "../../console/ui/not-done.ts";
import { ApiProblem } from "../../console/api/problem.ts";
import type { ExecutionStatus, ExecutionSummary, NodeRunView } from "../../schema/contract/execution.ts";

const row = (id: string, status: ExecutionStatus = "running"): ExecutionSummary => ({
  id,
  workflowId: "wf_1",
  versionId: "wfv_1",
  status,
  trigger: { type: "manual", variables: {}, by: null },
  startedAt: "2026-01-01T00:00:00.000Z",
  finishedAt: null,
  error: null,
  revision: status === "running" ? 1 : 2,
  retryOf: null,
  parentExecutionId: null,
});

describe("the clock", () => {
  test("of a device counts as right within the precision of an answer, otherwise its offset is known", () => {
    const at = Date.UTC(2026, 0, 2, 3, 4, 10);
    const date = new Date(at).toUTCString();
    const hour = 3_600_000;
    expect(clockAhead(date, at + 400, at + 600)).toBe(0);
    expect(clockAhead(date, at - 3_000, at + 200)).toBe(0);
    expect(clockAhead(date, at + hour + 400, at + hour + 600)).toBe(hour);
    expect(clockAhead(date, at - hour + 400, at - hour + 600)).toBe(-hour);
    // A slow answer is less precise.
    expect(clockAhead(date, at, at + 20_000)).toBe(0);
    expect([clockAhead(null, at, at), clockAhead("soon", at, at)]).toEqual([null, null]);
  });

  test("of a filter accepts a year that is typed digit by digit", () => {
    expect(toLocalField(fromLocalField("0002-11-20T11:30", "begins"))).toBe("0002-11-20T11:30");
  });
});

test("a job of a lost agent shows an unknown start, not a missing one", () => {
  const at = "2026-01-02T03:04:05.000Z";
  const lost = { queuedAt: at, assignedAt: at, deliveredAt: at, startedAt: null, finishedAt: at, reportedAt: at };
  expect(stagesOf(lost, null, null)[2]?.activity).toBe("on the agent, which did not report the start");
});

describe("an output as text", () => {
  test.each([
    ["kept\tas\nwritten\n", "kept\tas\nwritten\n"],
    ["\u001B[1;31mred\u001B[0m and\r\nback", "red and\nback"],
    ["10 %\r20 %\rdone", "10 %␍\n20 %␍\ndone"],
    ["\u0000\u0007\u001Bx\u007F", "␀␇␛x␡"],
    // Displayed from right to left, this would look like the name of an image.
    ["\u202Egnp.exe\u0085", "<U+202E>gnp.exe<U+0085>"],
    ["[a]\n[b]", "[a]\n[b]"],
    ["größer 👩‍🚒", "größer 👩‍🚒"],
  ])("shows invisible characters by symbols: %j", (text, shown) => {
    expect(terminalText(text).text).toBe(shown);
  });

  test.each([
    ["", "0 bytes"],
    ["x", "1 byte"],
    ["one line\n", "9 bytes"],
    ["one\ntwo\n", "2 lines, 8 bytes"],
    ["ä".repeat(1_024), "2 KiB"],
  ])("has a size for people: %#", (text, size) => {
    expect(sizeLabel(text)).toBe(size);
  });
});

describe("a live list of running executions that missed changes", () => {
  const filter = { workflowId: null, status: "running", trigger: null, from: null, to: null } as const;
  const listed = [row("4"), row("3"), row("2"), row("1")];
  const ids = (rows: readonly ExecutionSummary[]) => rows.map(({ id, status }) => `${id} ${status}`);

  test("removes rows that a new read lacks, as far down as the read goes", () => {
    const live = leaveOut(NOTHING_REPORTED, listed, [row("4"), row("2")], { filter, downTo: "2" });
    expect(ids(rowsOf(listed, live))).toEqual(["4 running", "2 running", "1 running"]);
    const whole = leaveOut(NOTHING_REPORTED, listed, [], { filter, downTo: null });
    expect(rowsOf(listed, whole)).toEqual([]);
  });

  test("keeps a row that was reported as ended, and shows a removed row again after a later report", () => {
    const options = { filter, hold: false, whole: true };
    const reported = takeIn(NOTHING_REPORTED, [row("3", "failed")], listed, options);
    const live = leaveOut(reported, listed, [row("4"), row("1")], { filter, downTo: null });
    expect(ids(rowsOf(listed, live))).toEqual(["4 running", "3 failed", "1 running"]);
    const later = takeIn(live, [row("2", "succeeded")], listed, options);
    expect(ids(rowsOf(listed, later))).toEqual(["4 running", "3 failed", "2 succeeded", "1 running"]);
  });
});

test("a slow read does not undo a stage that the stream reported meanwhile", () => {
  const at = "2026-01-02T03:04:05.000Z";
  const nodeRun = (deliveredAt: string | null): NodeRunView => ({
    id: "run_1",
    nodeId: "look",
    status: "running",
    outcome: null,
    attempt: 1,
    jobId: "job_1",
    childExecutionId: null,
    output: null,
    error: null,
    waitingFor: null,
    waiting: null,
    timeline: { queuedAt: at, assignedAt: at, deliveredAt, startedAt: null, finishedAt: null, reportedAt: null },
  });
  const read = (deliveredAt: string | null) => ({ ...row("1"), nodeRuns: [nodeRun(deliveredAt)] });
  const reported = [{ type: "nodeRun", nodeRun: nodeRun(at) }] as const;
  expect(laterOf(read(at), read(null), reported).nodeRuns[0]?.timeline.deliveredAt).toBe(at);
  expect(laterOf(read(null), read(at)).nodeRuns[0]?.timeline.deliveredAt).toBe(at);
});

test("a request without an answer is not shown as refused", () => {
  const refused = new ApiProblem({ status: 409, code: "conflict", detail: "No." });
  const away = new ApiProblem({ status: 0, code: "unreachable", detail: "No answer." });
  expect(notDone("It was not cancelled", refused)).toBe("It was not cancelled");
  expect(notDone("It was not cancelled", away)).toBe("It was not cancelled, or the answer was lost");
});
