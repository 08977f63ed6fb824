import { latencyOf, medianOf, onLanes, pick, timed } from "./figures.ts";
import type { EngineWorker } from "./service.ts";
import { createWebhookKeys, markedAction, publishManual, ring, startByHand } from "./workflows.ts";
import type { WebhookKey } from "./workflows.ts";

/**
 * Executions of one instant action, from the start's request to the acknowledged result, compared with a floor in the
 * same rounds: the same number of requests, each with the same object inserts and write batches, and without the engine.
 */
export interface Throughput {
  lanes: number;
  floor: Pace;
  byHand: Pace;
  byWebhook: Pace;
}
interface Pace {
  /** Finished executions per second. */
  perSecond: number;
  /** From start to finished. */
  p50Ms: number;
  p99Ms: number;
}

const LEVELS = [
  { lanes: 1, executions: 100 },
  { lanes: 16, executions: 400 },
] as const;
const ROUNDS = 3;
/** Under a key's limit of 60 a minute; the whole measurement takes less than a minute. */
const STARTS_PER_KEY = 50;
const WORKFLOWS = 16;
/** `batches`: the counted write batches of an execution started by hand. */
export async function measureThroughput(worker: EngineWorker, batches: number): Promise<Throughput[]> {
  const starts = LEVELS.reduce((sum, { executions }) => sum + executions, 0) * ROUNDS;
  const definition = { nodes: [markedAction(worker.connectionId)], edges: [] };
  const workflows: string[] = [];
  for (let i = 0; i < WORKFLOWS; i += 1) workflows.push(await publishManual(worker, definition));
  const keys = await createWebhookKeys(worker, Math.ceil(starts / STARTS_PER_KEY));
  const ways = {
    floor: (index: number) => floor(worker, batches, index),
    byHand: (index: number) => byHand(worker, pick(workflows, index)),
    byWebhook: (index: number) => byWebhook(worker, pick(keys, index)),
  };
  let webhooks = 0;
  const paces = LEVELS.map(() => ({
    floor: new Array<Pace>(),
    byHand: new Array<Pace>(),
    byWebhook: new Array<Pace>(),
  }));
  for (const way of [ways.floor, ways.byHand]) await onLanes(4, 2 * WORKFLOWS, (index) => way(index));
  for (let round = 0; round < ROUNDS; round += 1) {
    // The ways take turns, so that the machine's other work affects all alike.
    for (const [level, { lanes, executions }] of LEVELS.entries()) {
      const into = paces[level];
      if (into === undefined) continue;
      into.floor.push(await pace(lanes, executions, ways.floor));
      into.byHand.push(await pace(lanes, executions, ways.byHand));
      into.byWebhook.push(await pace(lanes, executions, (index) => ways.byWebhook(webhooks + index)));
      webhooks += executions;
    }
  }
  return LEVELS.flatMap(({ lanes }, level) => {
    const found = paces[level];
    if (found === undefined) return [];
    return [{ lanes, floor: middle(found.floor), byHand: middle(found.byHand), byWebhook: middle(found.byWebhook) }];
  });
}

async function pace(lanes: number, executions: number, run: (index: number) => Promise<void>): Promise<Pace> {
  const latencies: number[] = [];
  const tookMs = await timed(() =>
    onLanes(lanes, executions, async (index) => void latencies.push(await timed(() => run(index)))),
  );
  const { p50Ms, p99Ms } = latencyOf(latencies);
  return { perSecond: (executions / tookMs) * 1_000, p50Ms, p99Ms };
}

/** `execute`, a poll and a result. The last batch belongs to the result, the others belong to the start. */
async function floor({ url }: EngineWorker, batches: number, index: number): Promise<void> {
  for (const count of [batches - 1, 0, 1]) {
    const body = JSON.stringify({ variables: { mark: crypto.randomUUID() } });
    const target = `${url}/floor/f${index % WORKFLOWS}?inserts=1&batches=${count}`;
    const response = await fetch(target, { method: "POST", body });
    if (!response.ok) throw new Error(`the floor answered ${response.status}`);
    await response.json();
  }
}

export async function byHand(worker: EngineWorker, workflowId: string): Promise<void> {
  const mark = crypto.randomUUID();
  await worker.agent.finished(mark, startByHand(worker, workflowId, { mark }));
}

/** `accepted` is called with the milliseconds until the 200. */
export async function byWebhook(
  worker: EngineWorker,
  key: WebhookKey,
  accepted: (ms: number) => void = () => {},
): Promise<void> {
  const mark = crypto.randomUUID();
  await worker.agent.finished(mark, timed(() => ring(key, { mark })).then(accepted));
}

function middle(paces: readonly Pace[]): Pace {
  const of = (figure: (pace: Pace) => number) => medianOf(paces.map(figure));
  return { perSecond: of((p) => p.perSecond), p50Ms: of((p) => p.p50Ms), p99Ms: of((p) => p.p99Ms) };
}
