import { describe, expect, test } from "bun:test";
import type { ExecutionTrigger } from "../../schema/contract/execution.ts";
import { keysOf } from "../../schema/contract/records.ts";
import type { Trigger } from "../../schema/contract/workflow.ts";
import {
  FAILED_FIELDS,
  failedView,
  mayBeReported,
  sampleFailure,
  startsAfter,
} from "../../worker/domain/failed-execution.ts";
import { ownValue } from "../../worker/domain/own-value.ts";

const failed = {
  id: "exe_1",
  key: "checkout",
  workflow: { id: "wf_1", name: "Backup", tags: ["db"] },
  error: { code: "exit_code", message: "No disk" },
  node: { id: "run", name: "Run it" },
  trigger: { type: "cron", scheduledAt: "2026-01-01T00:00:00.000Z" },
  startedAt: 0,
  endedAt: 1_000,
  url: null,
} as const;

describe("a failed execution", () => {
  test("has all the fields that templates may name", () => {
    const view = failedView({ ...failed, trigger: { type: "incident", incident: { id: "inc_1", batch: [] } } });
    for (const field of keysOf(FAILED_FIELDS))
      expect([field, ownValue(view, field.split("."))]).not.toContain(undefined);
    expect(view["incident"]).toEqual({ id: "inc_1" });
    expect(Object.keys(failedView(failed))).not.toContain("incident");
    expect(failedView(failed)).toMatchObject({ status: "failed", trigger: { type: "cron" }, url: null });
  });

  test("that reached its time limit has timed out", () => {
    const error = { code: "execution_timed_out", message: "Too slow" };
    expect(failedView({ ...failed, error })).toMatchObject({ status: "timed_out" });
  });

  test("shows nothing of the variables that started it", () => {
    const trigger: ExecutionTrigger = { type: "webhook", variables: { password: "hunter2" }, sensitive: ["password"] };
    expect(JSON.stringify(failedView({ ...failed, trigger }))).not.toContain("hunter2");
  });

  test.each<[ExecutionTrigger["type"], boolean]>([
    ["webhook", true],
    ["manual", true],
    ["incident", true],
    ["cron", true],
    ["failure", false],
    ["workflow", false],
  ])("with the trigger %s is reported: %p", (type, is) => {
    const triggers: Record<ExecutionTrigger["type"], ExecutionTrigger> = {
      webhook: { type: "webhook", variables: {} },
      manual: { type: "manual", variables: {}, by: null },
      incident: { type: "incident", incident: {} },
      cron: { type: "cron", scheduledAt: "2026-01-01T00:00:00.000Z" },
      failure: { type: "failure", failed: {} },
      workflow: { type: "workflow", variables: {}, parentExecutionId: "exe_0" },
    };
    expect(mayBeReported(triggers[type])).toBe(is);
  });

  test.each<[Trigger, string[], boolean]>([
    [{ type: "failure" }, [], true],
    [{ type: "failure" }, ["a"], true],
    [{ type: "failure", tags: ["a", "b"] }, ["b", "c"], true],
    [{ type: "failure", tags: ["a"] }, [], false],
    [{ type: "failure", tags: ["a"] }, ["ab"], false],
    [{ type: "failure", tags: [] }, ["a"], false],
    [{ type: "manual" }, ["a"], false],
    [{ type: "incident", events: ["incident.created"] }, [], false],
  ])("starts %j for the tags %j: %p", (trigger, tags, does) => {
    expect(startsAfter(trigger, tags)).toBe(does);
  });

  test("of a dry run has the trigger's tags, so that it starts the workflow", () => {
    const trigger: Trigger = { type: "failure", tags: ["shop"] };
    expect(ownValue(sampleFailure(trigger, 0), ["workflow", "tags"])).toEqual(["shop"]);
  });
});
