import worker, { Dispatcher } from "../../worker/index.ts";
import type { Env } from "../../worker/env.ts";
import type { JobOrder } from "../../worker/domain/job-order.ts";
import { callDispatcher } from "../../worker/services/agent-calls/call-dispatcher.ts";
import type { AgentSession } from "../../worker/services/agent-calls/session.ts";
import { keyDigestOf } from "../../worker/services/agent-calls/key-digest.ts";
import { signSession, vouchFor } from "../../worker/services/agent-calls/session.ts";
import { createDeps } from "../../worker/services/deps.ts";
import type { Deps } from "../../worker/services/deps.ts";
import { isRefusal } from "../../worker/services/agent-calls/refusal.ts";
import { mintAgentKey } from "../../worker/services/keys.ts";
import { insertAgent } from "../../worker/store/agents.ts";
import { writeBatch } from "../../worker/store/database.ts";

/** The unchanged Worker. Its dispatchers count their calls and writes, and a dispatcher can be filled without bcrypt. */
export * from "../../worker/index.ts";

/** The dispatchers' activity since the last reset: all objects of a Worker run in one isolate here. */
interface Meter {
  /** Calls by class and method, alarms included. */
  calls: Record<string, number>;
  rowsRead: number;
  rowsWritten: number;
  /** Each is billed as one row written. */
  alarmsSet: number;
  /** Requests to the Worker, except those to the benchmark itself. */
  requests: number;
}

let meter = emptyMeter();
/** Cursors report their rows when they have been read, which is after `exec` has returned. */
let cursors: { rowsRead: number; rowsWritten: number }[] = [];
const CURSORS_MAX = 1_000;

/** Agents that never registered over HTTP. "heartbeats" sends their calls as agents do, past the check of the key. */
const fleet = new Map<string, AgentSession[]>();

export class CountedDispatcher extends Dispatcher {
  constructor(state: DurableObjectState, env: Env) {
    countStorage(state.storage);
    super(state, env);
  }

  /** The number of agents whose credentials libSQL has not recorded yet. */
  async countUnrecorded(): Promise<number> {
    const query = "SELECT count(*) AS count FROM agents WHERE value ->> 'credentialsRecorded' = 0";
    return Number(this.ctx.storage.sql.exec(query).one()["count"]);
  }
}

countCalls("Dispatcher", Dispatcher.prototype);

const PUBLIC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
} as const;

/** `POST /bench/<what>?pool=web&count=100&connection=con_1`; all other requests go to the Worker. */
export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    const what = /^\/bench\/(\w+)$/u.exec(pathname)?.[1];
    if (what === undefined) {
      meter.requests += 1;
      return worker.fetch(request, env, context);
    }
    const deps = createDeps(env);
    const poolObject = `pool:${searchParams.get("pool") ?? ""}`;
    const count = Number(searchParams.get("count") ?? 0);
    switch (what) {
      case "fill": {
        const filled = await fill(deps, poolObject, count);
        await call(deps, filled);
        return Response.json(await insertFilled(deps, filled));
      }
      case "heartbeats":
        await call(deps, fleet.get(poolObject) ?? []);
        return Response.json({});
      case "enqueue":
        return Response.json(await enqueue(deps, poolObject, count, searchParams.get("connection") ?? ""));
      case "backlog": {
        const to = { connectionId: searchParams.get("connection") ?? "", pinnedAgentId: searchParams.get("agent") };
        const orders = Array.from({ length: count }, () => orderOf(poolObject, to));
        await deps.objects.dispatcher(poolObject).enqueue(orders);
        return Response.json({});
      }
      case "states":
        return Response.json(await deps.objects.dispatcher(poolObject).jobStates(await request.json<string[]>()));
      case "cancel":
        await deps.objects.dispatcher(poolObject).cancel(await request.json<string[]>());
        return Response.json({});
      case "unrecorded": {
        const pool = env.DISPATCHER.get(env.DISPATCHER.idFromName(poolObject)) as unknown as CountedDispatcher;
        return Response.json(await pool.countUnrecorded());
      }
      case "nothing":
        for (let i = 0; i < count; i += 1) await deps.objects.dispatcher(poolObject).presence([]);
        return Response.json({});
      case "meter":
        return Response.json(takeMeter());
      default:
        return new Response(null, { status: 404 });
    }
  },
  scheduled: worker.scheduled,
} satisfies ExportedHandler<Env>;

/** Registers agents with the dispatcher itself, so that it keeps the same state as for any agent. */
async function fill({ objects }: Deps, poolObject: string, count: number): Promise<AgentSession[]> {
  const sessions: AgentSession[] = [];
  for (let i = 0; i < count; i += 1) {
    const agentId = `agt_${crypto.randomUUID()}`;
    const instanceId = crypto.randomUUID();
    const answer = await objects.dispatcher(poolObject).register(
      { agentId, epoch: 1, instanceId: null },
      {
        settings: { agentId, name: agentId, epoch: 1, enabled: true, removed: false },
        request: {
          protocol: 1,
          name: agentId,
          version: "1",
          os: "linux",
          arch: "x64",
          capabilities: ["script"],
          features: [],
          publicKey: PUBLIC_KEY,
          maxConcurrentJobs: 5,
          pollIntervalSeconds: 5,
          instanceId,
          journalId: crypto.randomUUID(),
        },
      },
    );
    if (isRefusal(answer)) throw new Error(`an agent was refused: ${answer.refused}`);
    sessions.push({ poolObject, agentId, instanceId, verified: null });
  }
  fleet.set(poolObject, [...(fleet.get(poolObject) ?? []), ...sessions]);
  return sessions;
}

/**
 * Puts the agents into libSQL, and gives each a key with a session that vouches for it, so that a call over HTTP costs
 * no bcrypt.
 */
async function insertFilled({ db, settings, now }: Deps, filled: readonly AgentSession[]) {
  const minted = filled.map((session) => ({ session, ...mintAgentKey(settings.secret) }));
  const at = { createdAt: now(), updatedAt: now() };
  await writeBatch(
    db,
    minted.map(({ session: { agentId, poolObject }, prefix }) =>
      insertAgent(db, {
        id: agentId,
        name: agentId,
        poolId: poolObject.slice("pool:".length),
        keyPrefix: prefix,
        keyHash: "",
        pushedEpoch: 1,
        ...at,
      }),
    ),
  );
  return minted.map(({ session, key }) => {
    const verified = vouchFor(keyDigestOf(settings.secret, key), 1, now());
    return { key, session: signSession(settings.secret, { ...session, verified }) };
  });
}

/** A poll and a heartbeat of each agent, through the usual code of agents' calls. */
async function call(deps: Deps, sessions: readonly AgentSession[]): Promise<void> {
  for (const session of sessions) {
    const by = { key: "", keyDigest: "", epoch: 1, session };
    await callDispatcher(deps, by, (pool, caller) => pool.poll(caller, { capacity: 5, held: [] }));
    const heartbeat = { held: [], load: 0, version: "1", credentials: [] };
    await callDispatcher(deps, by, (pool, caller) => pool.heartbeat(caller, heartbeat));
  }
}

/** Jobs in sequence; each is stored and reserved for the best agent, and that agent is notified. */
async function enqueue({ objects }: Deps, poolObject: string, count: number, connectionId: string): Promise<string[]> {
  const jobIds: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const order = orderOf(poolObject, { connectionId, pinnedAgentId: null });
    jobIds.push(order.jobId);
    await objects.dispatcher(poolObject).enqueue([order]);
  }
  return jobIds;
}

function orderOf(poolObject: string, to: { connectionId: string; pinnedAgentId: string | null }): JobOrder {
  return {
    jobId: `job_${crypto.randomUUID()}`,
    attempt: 1,
    kind: "action",
    executionId: null,
    workflowId: null,
    nodeRunId: null,
    action: "script.bash",
    effect: "unsafe",
    ...to,
    poolObject,
    params: { script: "systemctl restart app" },
    values: {},
    timeoutSeconds: 300,
    queueTimeoutSeconds: null,
    onAgentLost: null,
    queuedAt: Date.now(),
  };
}

function countCalls(name: string, prototype: object): void {
  for (const key of Object.getOwnPropertyNames(prototype)) {
    const method: unknown = Reflect.get(prototype, key);
    if (key === "constructor" || typeof method !== "function") continue;
    Reflect.set(prototype, key, function counted(this: object, ...args: unknown[]): unknown {
      const called = `${name}.${key}`;
      meter.calls[called] = (meter.calls[called] ?? 0) + 1;
      return Reflect.apply(method, this, args);
    });
  }
}

function countStorage(storage: DurableObjectStorage): void {
  const { sql } = storage;
  const exec = sql.exec.bind(sql);
  Reflect.set(sql, "exec", (query: string, ...bindings: (string | number | null)[]) => {
    const cursor = exec(query, ...bindings);
    cursors.push(cursor);
    if (cursors.length > CURSORS_MAX) foldCursors(CURSORS_MAX / 2);
    return cursor;
  });
  const setAlarm = storage.setAlarm.bind(storage);
  Reflect.set(storage, "setAlarm", (at: number) => {
    meter.alarmsSet += 1;
    return setAlarm(at);
  });
}

/** The oldest cursors have certainly been read. */
function foldCursors(count: number): void {
  for (const { rowsRead, rowsWritten } of cursors.slice(0, count)) {
    meter.rowsRead += rowsRead;
    meter.rowsWritten += rowsWritten;
  }
  cursors = cursors.slice(count);
}

function takeMeter(): Meter {
  foldCursors(cursors.length);
  const taken = meter;
  meter = emptyMeter();
  return taken;
}

function emptyMeter(): Meter {
  return { calls: {}, rowsRead: 0, rowsWritten: 0, alarmsSet: 0, requests: 0 };
}
