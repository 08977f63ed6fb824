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

/** What is approved: nothing that an action or a sub-workflow here would use. */
const NOTES = { versions: {}, targets: {} };

function start(nodes: readonly JsonObject[], graphEdges = edges()): Engine {
  return Engine.start(nodes, graphEdges, { trigger: { type: "webhook", variables: { host: "web-1" } } });
}

function answer(
  engine: Engine,
  decision: "approved" | "rejected",
  comment: string | null = null,
  approved: RunSnapshot = NOTES,
) {
  const nodeRunId = engine.run("ask").id;
  return engine.apply({ type: "decided", decision: { nodeRunId, decision, by: "ann", comment, approved } });
}

describe("an approval", () => {
  test("waits for a person, and shows what it asks", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    expect(engine.run("ask")).toMatchObject({ status: "waiting", output: { message: "Restart web-1?" }, wakeAt: null });
    expect(engine.state.wakeAt).toBeNull();
    expect(engine.orders).toEqual([]);
  });

  test("goes on when approved, and keeps who, when and why", () => {
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

  test("leaves by its edge when rejected, which is no failure", () => {
    const engine = start([approval(), action("go"), action("no")], edges("ask -approved-> go", "ask -rejected-> no"));
    answer(engine, "rejected");
    expect(engine.statuses).toEqual({ ask: "succeeded", go: "skipped", no: "running" });
    engine.end("no");
    expect(engine.state.status).toBe("succeeded");
  });

  test("fails when rejected and no edge takes that", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "rejected", "not now");
    expect(engine.state).toMatchObject({
      status: "failed",
      error: { code: "approval_rejected", message: 'ask: Rejected by ann. "not now"' },
    });
    expect(engine.statuses).toEqual({ ask: "failed", go: "skipped" });
  });

  test("expires: it leaves as if rejected, and whoever handles it knows why", () => {
    const tell = action("tell", { params: { script: "true", env: { W: "{{error.code}} {{error.nodeId}}" } } });
    const engine = start([approval({ timeoutSeconds: 60 }), tell], edges("ask -rejected-> tell"));
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
    engine.end("tell");
    expect(engine.state.status).toBe("succeeded");
  });

  test("that expired and that nothing takes fails the execution", () => {
    const engine = start([approval({ timeoutSeconds: 60 })]);
    engine.wake(60_000);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "approval_expired" } });
  });

  test("takes one answer: a second one, and one that comes when its time is over, change nothing for the better", () => {
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

  test("binds what follows to where its connections lead", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "approved", null, { versions: {}, targets: { script: "here", other: "there" } });
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "here" } }]);
    expect(engine.state.approved?.targets).toEqual({ script: "here", other: "there" });
  });

  test("lets a connection that was not there lead nowhere", () => {
    const engine = start([approval(), action("go")], edges("ask -approved-> go"));
    answer(engine, "approved");
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "" } }]);
  });

  test("that is rejected binds nothing", () => {
    const engine = start([approval(), action("no")], edges("ask -rejected-> no"));
    answer(engine, "rejected");
    expect(engine.orders.map(({ approvedTargets }) => approvedTargets)).toEqual([undefined]);
    expect(engine.state.approved).toBeNull();
  });

  test("lets a sub-workflow run in the version of then, and in no other", () => {
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

  test("of a parent binds the sub-workflow from its first step", () => {
    const approved = { versions: {}, targets: { script: "here" }, at: 1 };
    const engine = Engine.start([action("go")], edges(), { approved });
    expect(engine.orders).toMatchObject([{ approvedTargets: { script: "here" } }]);
  });

  test("an answer for a node run that is no approval, or for none, changes nothing", () => {
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

  test("is cancelled with its execution", () => {
    const engine = start([approval()]);
    engine.apply({ type: "cancelled", by: "ann" });
    expect(engine.run("ask").status).toBe("cancelled");
  });
});

describe("the time that an execution has as a whole", () => {
  const limited = (timeoutSeconds: number) =>
    Engine.startDefinition({
      nodes: [action("a"), { id: "pause", type: "delay", seconds: 3_600 }, action("b")],
      edges: edges("a -> b").map((edge) => ({ ...edge })),
      timeoutSeconds,
    });

  test("ends it when it is over: jobs are taken back, the rest is skipped, and it says what to do", () => {
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

  test("counts whatever happens after it, not only the alarm", () => {
    const engine = limited(600);
    engine.now += 600_000;
    engine.end("a");
    expect(engine.state.error?.code).toBe("execution_timed_out");
  });

  test("is 400 days where nothing is said, and needs no alarm", () => {
    const engine = Engine.start([action("a")]);
    expect(engine.state.wakeAt).toBeNull();
    engine.wake(400 * 24 * 60 * 60 * 1_000);
    expect(engine.state).toMatchObject({ status: "failed", error: { code: "execution_timed_out" } });
  });
});
