import { describe, expect, test } from "bun:test";
import type { Approved, RunSnapshot } from "../../schema/contract/approval.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { Engine, action, edges } from "./engine.ts";

const approval = (more: JsonObject = {}): JsonObject => ({
  id: "ask",
  type: "approval",
  message: "Restart {{webhook.host}}?",
  ...more,
});

/** A snapshot that names no connection and no sub-workflow. */
const NOTES = { versions: {}, targets: {} };

function start(nodes: readonly JsonObject[], graphEdges = edges()): Engine {
  return Engine.start(nodes, graphEdges, { trigger: { type: "webhook", variables: { host: "web-1" } } });
}

function answer(
  engine: Engine,
  decision: "approved" | "rejected",
  comment: string | null = null,
  approved: RunSnapshot = NOTES,
  by = "ann",
) {
  const nodeRunId = engine.run("ask").id;
  return engine.apply({ type: "decided", decision: { nodeRunId, decision, by, comment, approved } });
}

describe("an approval", () => {
  test("waits for a person and shows its message", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    expect(engine.run("ask")).toMatchObject({ status: "waiting", output: { message: "Restart web-1?" }, wakeAt: null });
    expect(engine.state.wakeAt).toBeNull();
    expect(engine.orders).toEqual([]);
  });

  test("continues when it is approved, and records who approved, when and why", () => {
    const engine = start([approval(), action("go"), action("no")], edges("ask -approved-> go", "ask -rejected-> no"));
    engine.now += 5_000;
    answer(engine, "approved", "looks safe");
    expect(engine.run("ask")).toMatchObject({
      status: "succeeded",
      outcome: "approved",
      output: {
        message: "Restart web-1?",
        decision: "approved",
        by: "ann",
        comment: "looks safe",
        at: new Date(engine.now).toISOString(),
      },
    });
    expect(engine.statuses).toMatchObject({ go: "running", no: "skipped" });
  });

  test("takes its rejected edge when it is rejected, which is not a failure", () => {
    const engine = start([approval(), action("go"), action("no")], edges("ask -approved-> go", "ask -rejected-> no"));
    answer(engine, "rejected");
    expect(engine.statuses).toEqual({ ask: "succeeded", go: "skipped", no: "running" });
    engine.end("no");
    expect(engine.state.status).toBe("succeeded");
  });

  test("fails when it is rejected and has no rejected edge", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "rejected", "not now");
    expect(engine.state).toMatchObject({
      status: "failed",
      error: { code: "approval_rejected", message: 'ask: Rejected by ann. "not now"' },
    });
    expect(engine.statuses).toEqual({ ask: "failed", go: "skipped" });
  });

  test("names the person who rejected it by the email address", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "rejected", "not now", NOTES, "user:ann@example.com");
    expect(engine.state.error?.message).toBe('ask: Rejected by ann@example.com. "not now"');
  });

  test("takes its rejected edge when it expires, and the nodes behind that edge see why", () => {
    const notify = action("notify", { params: { script: "true", env: { W: "{{error.code}} {{error.nodeId}}" } } });
    const engine = start([approval({ timeoutSeconds: 60 }), notify], edges("ask -rejected-> notify"));
    engine.wake(59_999);
    expect(engine.run("ask").status).toBe("waiting");
    engine.wake(1);
    expect(engine.run("ask")).toMatchObject({
      status: "timed_out",
      outcome: "rejected",
      output: { decision: "expired", by: null },
      error: { code: "approval_expired" },
    });
    expect(engine.orders.at(-1)?.values).toMatchObject({ W: "approval_expired ask" });
    engine.end("notify");
    expect(engine.state.status).toBe("succeeded");
  });

  test("that expires without a rejected edge fails the execution", () => {
    const engine = start([approval({ timeoutSeconds: 60 })]);
    engine.wake(60_000);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "approval_expired" } });
  });

  test("takes one answer: a second answer changes nothing, and an answer after the time limit does not approve", () => {
    const engine = start([approval({ timeoutSeconds: 60 }), action("go")], edges("ask -approved-> go"));
    answer(engine, "approved");
    const before = engine.state;
    answer(engine, "rejected");
    expect(engine.state).toBe(before);
    const late = start([approval({ timeoutSeconds: 60 }), action("go")], edges("ask -approved-> go"));
    late.now += 60_000;
    answer(late, "approved");
    expect(late.run("ask").status).toBe("timed_out");
    expect(late.orders).toEqual([]);
  });

  test("binds later actions to the targets that their connections had when it was approved", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "approved", null, { versions: {}, targets: { script: "here", other: "there" } });
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "here" } }]);
    expect(engine.state.approved?.targets).toEqual({ script: "here", other: "there" });
  });

  test("binds a connection that did not exist then to no target", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "approved");
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "" } }]);
  });

  test("that is rejected binds no action", () => {
    const engine = start([approval(), action("no")], edges("ask -rejected-> no"));
    answer(engine, "rejected");
    expect(engine.orders.map(({ approvedTargets }) => approvedTargets)).toEqual([undefined]);
    expect(engine.state.approved).toBeNull();
  });

  test("lets a sub-workflow run only in the version that was approved", () => {
    const nodes = [approval(), { id: "sub", type: "workflow", workflowId: "child" }];
    const same = start(nodes, edges("ask -approved-> sub"));
    answer(same, "approved", null, { versions: { child: "wfv_child" }, targets: {} });
    expect(same.run("sub").status).toBe("running");
    const others: Approved["versions"][] = [{ child: "wfv_former" }, {}];
    for (const versions of others) {
      const other = start(nodes, edges("ask -approved-> sub"));
      answer(other, "approved", null, { versions, targets: {} });
      expect(other.run("sub")).toMatchObject({ status: "failed", error: { code: "approval_outdated" } });
    }
  });

  test("in a parent binds the sub-workflow from its first step", () => {
    const approved = { versions: {}, targets: { script: "here" }, at: 1 };
    const engine = Engine.start([action("go")], edges(), { approved });
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "here" } }]);
  });

  test("ignores an answer for a node run that is not an approval or does not exist", () => {
    const engine = start([approval(), action("other")]);
    const before = engine.state;
    for (const nodeRunId of [engine.run("other").id, "run_nobody"]) {
      engine.apply({
        type: "decided",
        decision: { nodeRunId, decision: "approved", by: "ann", comment: null, approved: NOTES },
      });
    }
    expect(engine.state).toBe(before);
  });

  test("is cancelled when its execution is cancelled", () => {
    const engine = start([approval()]);
    engine.apply({ type: "cancelled", by: "ann" });
    expect(engine.run("ask").status).toBe("cancelled");
  });
});

describe("the time limit of an execution", () => {
  const limited = (timeoutSeconds: number) =>
    Engine.startDefinition({
      nodes: [action("a"), { id: "pause", type: "delay", seconds: 3_600 }, action("b")],
      edges: edges("a -> b").map((edge) => ({ ...edge })),
      timeoutSeconds,
    });

  test("ends the execution: open jobs are cancelled, other nodes are skipped, and the error says what to do", () => {
    const engine = limited(600);
    expect(engine.state.wakeAt).toBe(engine.now + 600_000);
    const effects = engine.wake(600_000);
    expect(effects).toEqual([
      { type: "cancelJob", jobId: engine.run("a").jobId ?? "" },
      { type: "executionEnded", status: "failed" },
    ]);
    expect(engine.state).toMatchObject({ status: "failed", wakeAt: null, error: { code: "execution_timed_out" } });
    expect(engine.state.error?.message).toContain("within 600 s");
    expect(engine.statuses).toEqual({ a: "cancelled", pause: "cancelled", b: "skipped" });
  });

  test("ends the execution at any later event, not only at the alarm", () => {
    const engine = limited(600);
    engine.now += 600_000;
    engine.end("a");
    expect(engine.state.error?.code).toBe("execution_timed_out");
  });

  test("is 400 days by default, which needs no alarm", () => {
    const engine = Engine.start([action("a")]);
    expect(engine.state.wakeAt).toBeNull();
    engine.wake(400 * 24 * 60 * 60 * 1_000);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "execution_timed_out" } });
  });
});
