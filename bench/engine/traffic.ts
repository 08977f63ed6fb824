import { onLanes, pick } from "./figures.ts";
import type { Traffic } from "./counting-proxy.ts";
import type { EngineWorker } from "./service.ts";
import { byHand, byWebhook } from "./throughput.ts";
import { createWebhookKeys, markedAction, publishManual, startByHand } from "./workflows.ts";

/** The requests of one kind of execution to libSQL, counted before the server. */
export interface ExecutionTraffic {
  kind: string;
  executions: number;
  nodeRuns: number;
  /** Per execution. */
  perExecution: Record<keyof Traffic, number>;
}

/** The limit for an execution of one node. */
export const WRITE_BATCHES_MAX = 4;

export const BY_HAND = "one node, by hand";

const SINGLE_EXECUTIONS = 20;
const LANES = 16;
const CHAIN_NODES = 10;
const ITEMS = 100;

/** Executions run in sequence, so that none shares another's reads, but for the kind that says otherwise. */
export async function measureTraffic(worker: EngineWorker): Promise<ExecutionTraffic[]> {
  const single = { nodes: [markedAction(worker.connectionId)], edges: [] };
  const manual = await publishManual(worker, single);
  const keys = await createWebhookKeys(worker, 1);
  const chain = await publishManual(worker, chainOf(worker));
  const one = await publishManual(worker, forEachOf(worker, 1));
  const ten = await publishManual(worker, forEachOf(worker, 10));
  const items = Array.from({ length: ITEMS }, (_, i) => `host-${i}`);
  const unmarked = async (workflowId: string, jobs: number) => {
    const worked = worker.agent.workOff(jobs);
    await Promise.all([startByHand(worker, workflowId, { items }), worked]);
  };
  const kinds = [
    { kind: BY_HAND, executions: SINGLE_EXECUTIONS, nodeRuns: 1, run: () => byHand(worker, manual) },
    {
      kind: "one node, by webhook",
      executions: SINGLE_EXECUTIONS,
      nodeRuns: 1,
      run: () => byWebhook(worker, pick(keys, 0)),
    },
    {
      kind: `one node, by webhook, ${LANES} at once`,
      executions: 2 * LANES,
      lanes: LANES,
      nodeRuns: 1,
      run: () => byWebhook(worker, pick(keys, 0)),
    },
    { kind: `chain of ${CHAIN_NODES}`, executions: 5, nodeRuns: CHAIN_NODES, run: () => unmarked(chain, CHAIN_NODES) },
    { kind: `forEach of ${ITEMS}, one by one`, executions: 1, nodeRuns: ITEMS + 1, run: () => unmarked(one, ITEMS) },
    { kind: `forEach of ${ITEMS}, 10 at once`, executions: 1, nodeRuns: ITEMS + 1, run: () => unmarked(ten, ITEMS) },
  ];
  const found: ExecutionTraffic[] = [];
  for (const { kind, executions, lanes = 1, nodeRuns, run } of kinds) {
    // A warm-up: versions and routes are read once and cached.
    await run();
    await settled(worker);
    const total = await counted(worker, () => onLanes(lanes, executions, run));
    found.push({ kind, executions, nodeRuns, perExecution: mapValues(total, (count) => count / executions) });
  }
  return found;
}

async function counted(worker: EngineWorker, work: () => Promise<void>): Promise<Traffic> {
  if (worker.proxy === null) throw new Error("this worker's libSQL is not counted");
  worker.proxy.take();
  await work();
  await settled(worker);
  return worker.proxy.take();
}

/** Notifications after the last commit may cause further reads. */
async function settled({ database }: EngineWorker): Promise<void> {
  const running = database.query<{ count: number }, []>(
    "SELECT count(*) AS count FROM executions WHERE status = 'running'",
  );
  const deadline = performance.now() + 10_000;
  while ((running.get()?.count ?? 0) > 0) {
    if (performance.now() > deadline) throw new Error("executions are still running");
    await Bun.sleep(10);
  }
  await Bun.sleep(50);
}

function chainOf({ connectionId }: EngineWorker) {
  const nodes = Array.from({ length: CHAIN_NODES }, (_, i) => markedAction(connectionId, `n${i}`, ""));
  return { nodes, edges: nodes.slice(1).map(({ id }, i) => ({ from: `n${i}`, to: id, on: "success" })) };
}

function forEachOf({ connectionId }: EngineWorker, concurrency: number) {
  const body = { nodes: [markedAction(connectionId, "restart", "{{foreach.item}}")], edges: [] };
  return { nodes: [{ id: "each", type: "forEach", items: "{{inputs.items}}", concurrency, body }], edges: [] };
}

function mapValues(traffic: Traffic, change: (count: number) => number): Traffic {
  const {
    requests,
    writeRequests,
    writeBatches,
    readStatements,
    writeStatements,
    rowsWritten,
    presenceBatches,
    presenceRows,
  } = traffic;
  return {
    requests: change(requests),
    writeRequests: change(writeRequests),
    writeBatches: change(writeBatches),
    readStatements: change(readStatements),
    writeStatements: change(writeStatements),
    rowsWritten: change(rowsWritten),
    presenceBatches: change(presenceBatches),
    presenceRows: change(presenceRows),
  };
}
