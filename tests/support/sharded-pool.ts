import { presenceOf } from "../../worker/services/pool/views.ts";
import { POOL, PoolAgentProbe, PoolHarness, connection, order, refOf } from "./pool-harness.ts";

/** A job of a connection that is pinned to "b". */
export const FOR_B = { connectionId: "con_b", pinnedAgentId: "b" };

/** A Pool that serves one agent itself, "a"; "b" and "c" call shards of their own. */
export async function setup() {
  const harness = new PoolHarness();
  harness.agentsPerObject = 1;
  harness.connections.set("con_b", { ...connection("con_b"), target: { poolObject: POOL, pinnedAgentId: "b" } });
  harness.restart();
  const [a, b, c] = ["a", "b", "c"].map((id) => new PoolAgentProbe(harness, id));
  if (a === undefined || b === undefined || c === undefined) throw new Error("unreachable");
  for (const agent of [a, b, c]) agent.register();
  const shard = harness.shard(b.shard ?? "");
  return { harness, a, b, c, shard };
}

/** "b" has asked once, and would be told the same again. */
export async function settled() {
  const all = await setup();
  await all.b.poll();
  await all.b.heartbeat();
  await all.harness.settled();
  return all;
}

/** "b" runs a job, and nothing has changed since the Pool heard of it. */
export async function running(changes: Parameters<typeof order>[1] = {}) {
  const all = await setup();
  all.harness.enqueue(order("job_1", { ...FOR_B, ...changes }));
  const [job] = (await all.b.poll()).jobs;
  if (job === undefined) throw new Error("the job was not delivered");
  const ref = refOf(job);
  await all.b.poll([ref]);
  await all.b.heartbeat([], [ref]);
  await all.harness.settled();
  return { ...all, ref };
}

export function statusOf(harness: PoolHarness, agentId: string) {
  return presenceOf(harness.pool, [agentId])[0]?.status;
}
