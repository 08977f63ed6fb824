import { mkdir, readFile } from "node:fs/promises";
import { z } from "zod";
import { executionSchema } from "../../schema/contract/execution.ts";
import { startAgentProcess } from "../../scripts/local/agent-process.ts";
import { startAgentTap } from "./agent-tap.ts";
import type { AgentTap, Tapped } from "./agent-tap.ts";
import { POOL_ID, startDispatchService } from "./service.ts";
import type { DispatchService } from "./service.ts";
import { spreadOf } from "./spread.ts";
import type { Spread } from "./spread.ts";

/**
 * Single webhooks in sequence on an idle machine, through the service to the agent's executable and back. Each stage is
 * measured from the webhook's first byte, and from the stage before it.
 */
export interface DispatchLatency {
  wakeSocket: boolean;
  pollIntervalSeconds: number;
  stages: { stage: Stage; sinceWebhook: Spread; sinceStageBefore: Spread }[];
}

/** In order of time; the 200 (`accepted`) has no fixed place in it. */
const STAGES = ["accepted", "queued", "woken", "fetched", "started", "reported", "finished"] as const;
type Stage = (typeof STAGES)[number];
type Moments = Partial<Record<Stage, number>>;

/** The limits, from the webhook to the command's start. */
export const STARTED_P50_MAX_MS = 25;
export const STARTED_P99_MAX_MS = 100;

/** Under a key's limit of 60 a minute. */
const WEBHOOKS_PER_KEY = 50;
const WARM_UP = 10;
const POLL_INTERVAL_SECONDS = 5;
const READY_WITHIN_MS = 20_000;
const FINISHED_WITHIN_MS = 30_000;
/** The work after a result must not overlap with the next webhook. */
const PAUSE_MIN_MS = 60;
const PAUSE_MORE_MS = 40;
/** Without the socket, a webhook arrives at a random moment between two polls. */
const PAUSE_MORE_WITHOUT_SOCKET_MS = POLL_INTERVAL_SECONDS * 1_000;

/** `webhooks`: the number to measure. */
export async function measureLatency(
  directory: string,
  { wakeSocket, webhooks }: { wakeSocket: boolean; webhooks: number },
): Promise<DispatchLatency> {
  await mkdir(directory, { recursive: true });
  const service = await startDispatchService(directory);
  const tap = startAgentTap(service.url, epochNow);
  try {
    const created = z.object({ apiKey: z.string() });
    const { apiKey } = await service.api.post("/agents", { name: "bench", poolId: POOL_ID }, created);
    const agent = await startAgentProcess({
      stateDirectory: directory,
      apiUrl: tap.url,
      apiKey,
      environment: {
        WAKE_SOCKET: wakeSocket ? "on" : "off",
        POLL_INTERVAL: String(POLL_INTERVAL_SECONDS),
        LOG_LEVEL: "WARNING",
      },
    });
    try {
      await ready(service, tap, wakeSocket);
      const moments = await ringAll(
        service,
        tap,
        wakeSocket
          ? { webhooks, warmUp: WARM_UP, pauseMoreMs: PAUSE_MORE_MS }
          : { webhooks, warmUp: 1, pauseMoreMs: PAUSE_MORE_WITHOUT_SOCKET_MS },
      );
      return { wakeSocket, pollIntervalSeconds: POLL_INTERVAL_SECONDS, stages: stagesOf(moments) };
    } catch (error) {
      throw new Error(`the agent said: ${await readFile(agent.logFile, "utf8")}`, { cause: error });
    } finally {
      await agent.stop(5_000);
    }
  } finally {
    tap.stop();
    await service.stop();
  }
}

async function ringAll(
  service: DispatchService,
  tap: AgentTap,
  { webhooks, warmUp, pauseMoreMs }: { webhooks: number; warmUp: number; pauseMoreMs: number },
): Promise<Moments[]> {
  const all: Moments[] = [];
  const keys: Webhook[] = [];
  for (let i = 0; i < Math.ceil((webhooks + warmUp) / WEBHOOKS_PER_KEY); i += 1)
    keys.push(await createWebhook(service));
  for (let n = 0; n < webhooks + warmUp; n += 1) {
    const key = keys[Math.floor(n / WEBHOOKS_PER_KEY)];
    if (key === undefined) throw new Error("there are too few webhooks");
    all.push(await ringOne(service, tap, key, n));
    await Bun.sleep(PAUSE_MIN_MS + Math.random() * pauseMoreMs);
  }
  return all.slice(warmUp);
}

interface Webhook {
  url: string;
  headers: Record<string, string>;
}

/** One action; its command first prints the time. */
async function createWebhook({ api, url, connectionId }: DispatchService): Promise<Webhook> {
  const params = { script: 'printf "%s" "$EPOCHREALTIME"' };
  const definition = {
    nodes: [{ id: "now", type: "action", action: "script.bash", connectionId, params }],
    edges: [],
  };
  const workflow = { name: "bench", trigger: { type: "webhook" }, definition };
  const { id } = await api.post("/workflows", workflow, z.object({ id: z.string() }));
  await api.post(`/workflows/${id}/publish`, undefined, z.unknown());
  const shape = z.object({ webhookKey: z.string(), webhookSecret: z.string() });
  const key = await api.post(`/workflows/${id}/webhook-key`, undefined, shape);
  await api.post(`/workflows/${id}/activate`, undefined, z.unknown());
  return {
    url: `${url}/api/v1/automation/webhooks/${key.webhookKey}`,
    headers: { Authorization: `Bearer ${key.webhookSecret}`, "Content-Type": "application/json" },
  };
}

async function ringOne(service: DispatchService, tap: AgentTap, key: Webhook, n: number): Promise<Moments> {
  const body = JSON.stringify({ variables: { host: "web-17.example.com", attempt: n } });
  const done = tap.next();
  calibrate();
  const sentAt = epochNow();
  const response = await fetch(key.url, { method: "POST", headers: key.headers, body });
  const acceptedAt = epochNow();
  const answer: unknown = await response.json();
  if (response.status !== 200)
    throw new Error(`the webhook was answered ${response.status}: ${JSON.stringify(answer)}`);
  const { executionId } = z.object({ data: z.object({ executionId: z.string() }) }).parse(answer).data;
  const tapped = await within(done, `execution ${executionId}`);
  return {
    ...sinceSent(tapped, sentAt),
    accepted: acceptedAt - sentAt,
    ...(await stored(service, executionId, sentAt)),
  };
}

function sinceSent({ wokenAt, fetchedAt }: Tapped, sentAt: number): Moments {
  return {
    ...(wokenAt === null ? {} : { woken: wokenAt - sentAt }),
    ...(fetchedAt === null ? {} : { fetched: fetchedAt - sentAt }),
  };
}

/** The service's recorded times, in whole milliseconds, and the command's printed time. */
async function stored({ api }: DispatchService, executionId: string, sentAt: number): Promise<Moments> {
  const execution = await api.get(`/executions/${executionId}`, executionSchema);
  const [run] = execution.nodeRuns;
  if (execution.status !== "succeeded" || run === undefined) {
    throw new Error(`an execution ended as ${JSON.stringify(execution)}`);
  }
  const { queuedAt, reportedAt } = run.timeline;
  if (queuedAt === null || reportedAt === null || execution.finishedAt === null) throw new Error("a time is missing");
  const { stdout } = z.object({ stdout: z.string() }).parse(run.output);
  return {
    queued: Date.parse(queuedAt) - sentAt,
    started: Number(stdout) * 1_000 - sentAt,
    reported: Date.parse(reportedAt) - sentAt,
    finished: Date.parse(execution.finishedAt) - sentAt,
  };
}

function stagesOf(all: readonly Moments[]): DispatchLatency["stages"] {
  return STAGES.flatMap((stage) => {
    const values = all.flatMap((moments) => moments[stage] ?? []);
    if (values.length === 0) return [];
    return [
      { stage, sinceWebhook: spreadOf(values), sinceStageBefore: spreadOf(all.flatMap((m) => sinceBefore(m, stage))) },
    ];
  });
}

/** The 200 is not a stage on the way: the job is queued at the same time. */
function sinceBefore(moments: Moments, stage: Stage): number[] {
  const at = moments[stage];
  if (at === undefined) return [];
  const before = STAGES.slice(1, Math.max(1, STAGES.indexOf(stage))).findLast(
    (earlier) => moments[earlier] !== undefined,
  );
  return [at - (before === undefined ? 0 : (moments[before] ?? 0))];
}

/** Waits until the agent has polled and its wake socket is open. */
async function ready({ api }: DispatchService, tap: AgentTap, wakeSocket: boolean): Promise<void> {
  const shape = z.object({ members: z.array(z.object({ status: z.string() })) });
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const { members } = await api.get(`/pools/${POOL_ID}`, shape);
    if (members[0]?.status === "Online" && (!wakeSocket || tap.wakeSockets() > 0)) return;
    if (performance.now() > deadline) throw new Error("the agent is not ready");
    await Bun.sleep(50);
  }
}

async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} did not end in time`)), FINISHED_WITHIN_MS);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Added to this process's own clock, it gives the system's time. */
let offsetMs = 0;

/** The system's clock in epoch milliseconds, finer than `Date.now()`: Bash and the service use that clock. */
function epochNow(): number {
  return performance.now() + offsetMs;
}

/** Blocks for up to a millisecond. */
function calibrate(): void {
  const before = Date.now();
  let tick = before;
  while (tick === before) tick = Date.now();
  offsetMs = tick - performance.now();
}
