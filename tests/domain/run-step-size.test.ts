import { expect, test } from "bun:test";
import { Engine, action } from "./engine.ts";

const TEXT = "x".repeat(400_000);

/** A forEach over 20 items whose jobs have 400 KB each, more than one batch should have. */
function start(): Engine {
  const node = action("do", {
    action: "http.request",
    connectionId: "http",
    params: { path: "/", body: "{{webhook.text}}" },
  });
  const body = { nodes: [node], edges: [] };
  const loop = { id: "loop", type: "forEach", items: "{{webhook.items}}", concurrency: 20, body };
  const variables = { text: TEXT, items: Array.from({ length: 20 }, (_, index) => index) };
  return Engine.start([loop], [], { trigger: { type: "webhook", variables } });
}

const running = (engine: Engine) => engine.state.nodeRuns.filter(({ jobId }) => jobId !== null).length;

test("a step renders about 2 MiB at most, and the other nodes begin in the next steps, at their first attempt", () => {
  const engine = start();
  expect(running(engine)).toBe(6);
  expect(engine.state.nodeRuns).toHaveLength(21);
  expect(engine.state.wakeAt).toBe(engine.now + 1);
  engine.wake(1);
  expect(running(engine)).toBe(12);
  engine.wake(1);
  engine.wake(1);
  expect(running(engine)).toBe(20);
  expect(engine.state.wakeAt).toBeNull();
  expect(engine.orders.every(({ attempt }) => attempt === 1)).toBe(true);
  expect(new Set(engine.orders.map(({ nodeRunId }) => nodeRunId)).size).toBe(20);
});

test("a node that waits for the next step is cancelled with its execution", () => {
  const engine = start();
  engine.apply({ type: "cancelled", by: "ann" });
  expect(engine.state.nodeRuns.every(({ status }) => status === "cancelled")).toBe(true);
});
