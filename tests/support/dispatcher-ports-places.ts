import { migrateDatabase } from "../../scripts/migrate-database.ts";
import type { ConnectionType } from "../../schema/contract/connection.ts";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import type { Role } from "../../schema/contract/people.ts";
import { takesCredential } from "../../schema/contract/connection.ts";
import { agents, connections, credentials, jobs, users } from "../../schema/tables/index.ts";
import { createDispatcherPorts } from "../../worker/actors/dispatcher/ports.ts";
import type { DispatcherPorts } from "../../worker/actors/dispatcher/ports.ts";
import { targetFloor } from "../../worker/domain/credential/usable.ts";
import type { AgentJobOrder } from "../../worker/domain/job-order.ts";
import { findStaleResults } from "../../worker/store/stale-results.ts";
import { jobRow } from "../../worker/store/jobs.ts";
import { eq } from "drizzle-orm";
import { DispatcherSurroundings } from "./dispatcher-surroundings.ts";
import { connection, order } from "./job-orders.ts";
import { startTestLibsql } from "./libsql.ts";
import { testDeps, workflowRunsThat } from "./test-deps.ts";

/** A connection's settings from people. */
export interface ConnectionFacts {
  type: ConnectionType;
  config: JsonObject;
  enabled: boolean;
  poolId: string | null;
  agent: { id: string; poolId: string | null; deleted: boolean } | null;
  hadCredential: boolean;
  /** The lowest valid versions after this many edits of its target, by agent. */
  targetEdits: number;
  floors: Record<string, number>;
}

/** The surroundings of a dispatcher, in a test's lists or in libSQL. */
export interface PortsPlace {
  readonly ports: DispatcherPorts;
  addConnection(id: string, facts?: Partial<ConnectionFacts>): Promise<void>;
  addAgent(id: string): Promise<void>;
  addPerson(id: string, role: Role, enabled: boolean): Promise<void>;
  addJob(order: AgentJobOrder): Promise<void>;
  /** Adds a credential that was delivered to the service and must be brought to an agent. */
  addSealed(connectionId: string, agentId: string, jwe: string): Promise<void>;
  /** From now on runs do not accept ends. */
  loseRuns(): void;
  /** How a job ended, for its run or in its own row. */
  endOf(jobId: string): Promise<string | undefined>;
  staleOf(jobId: string): Promise<{ agentId: string; lease: string; status: JobResult["status"] }[]>;
  heartbeatOf(agentId: string): Promise<number | null>;
  /** The same ports without a database. */
  away(): Promise<DispatcherPorts>;
  stop(): Promise<void>;
}

const DEFAULTS: ConnectionFacts = {
  type: "script",
  config: {},
  enabled: true,
  poolId: "web",
  agent: null,
  hadCredential: false,
  targetEdits: 0,
  floors: {},
};

export async function fakePorts(): Promise<PortsPlace> {
  const around = new DispatcherSurroundings();
  const ports = around.ports();
  const targetOf = ({ agent, poolId }: ConnectionFacts) => {
    if (agent === null) return poolId === null ? null : { poolObject: `pool:${poolId}`, pinnedAgentId: null };
    const poolObject = agent.poolId === null ? `agent:${agent.id}` : `pool:${agent.poolId}`;
    return { poolObject, pinnedAgentId: agent.id };
  };
  return {
    ports,
    addConnection: async (id, changes) => {
      const facts = { ...DEFAULTS, ...changes };
      const { type, config, enabled, agent, floors, hadCredential } = facts;
      const floorOf = (agentId: string) => targetFloor(facts, { targetFloor: floors[agentId] ?? 0 });
      const wanted = takesCredential(type)
        ? (agentId: string) => ({ target: `target of ${id}`, floor: floorOf(agentId) })
        : null;
      const agentDeleted = agent?.deleted ?? false;
      const place = {
        type,
        config,
        enabled,
        target: targetOf(facts),
        agentDeleted,
        hasCredential: hadCredential,
        wanted,
      };
      around.connections.set(id, connection(id, place));
    },
    addAgent: async () => {},
    addPerson: async (id, role, enabled) => {
      if (enabled) around.roles.set(id, role);
    },
    addJob: async ({ jobId }) => {
      around.jobs.add(jobId);
    },
    addSealed: async (connectionId, agentId, jwe) => {
      const params = { state: "present", version: 1 } as const;
      const sync = { kind: "credentialSync", action: null, effect: "idempotent" } as const;
      const job = order(`sync_${connectionId}`, { ...sync, connectionId, pinnedAgentId: agentId, params });
      const { type = "script", config = {} } = around.connections.get(connectionId) ?? {};
      around.lacking.push({
        order: { ...job, executionId: null, workflowId: null, nodeRunId: null, timeoutSeconds: 60 },
        sync: { connection: { id: connectionId, type, config }, params: { ...params, jwe } },
      });
    },
    loseRuns: () => {
      around.run = { take: () => Promise.reject(new Error("the run does not answer")) };
    },
    endOf: async (jobId) => around.end(jobId)?.status,
    staleOf: async (jobId) =>
      around.stale.flatMap(({ agentId, result: { lease, status, ...result } }) =>
        result.jobId === jobId ? [{ agentId, lease, status }] : [],
      ),
    heartbeatOf: async (agentId) => {
      const times = around.heartbeats.flat().filter((one) => one.agentId === agentId);
      return times.length === 0 ? null : Math.max(...times.map(({ lastHeartbeatAt }) => lastHeartbeatAt));
    },
    away: async () => {
      around.databaseDown = true;
      return ports;
    },
    stop: async () => {},
  };
}

export async function realPorts(): Promise<PortsPlace> {
  const libsql = await startTestLibsql();
  await migrateDatabase({ url: libsql.server.url });
  const reported = new Map<string, string>();
  let runsAreLost = false;
  const jobFinished = async (_executionId: string, report: { jobId: string; status: string }) => {
    if (runsAreLost) throw new Error("the run does not answer");
    if (!reported.has(report.jobId)) reported.set(report.jobId, report.status);
  };
  const deps = testDeps(libsql.server.url, { workflowRuns: () => workflowRunsThat({ jobFinished }) });
  const { db } = deps;
  const made = { createdAt: 0, updatedAt: 0 };
  const addAgent = async (id: string, changes: { poolId?: string | null; deletedAt?: number | null } = {}) => {
    const row = { id, name: id, poolId: "web", keyPrefix: id, keyHash: "", ...made, ...changes };
    await db.insert(agents).values(row).onConflictDoNothing();
  };
  return {
    ports: createDispatcherPorts(deps),
    addConnection: async (id, changes) => {
      const { agent, floors, ...facts } = { ...DEFAULTS, ...changes };
      if (agent !== null) await addAgent(agent.id, { poolId: agent.poolId, deletedAt: agent.deleted ? 1 : null });
      const agentId = agent?.id ?? null;
      await db.insert(connections).values({ id, name: id, ...facts, agentId, ...made });
      for (const [holder, floor] of Object.entries(floors)) {
        const row = { connectionId: id, agentId: holder, state: "absent", status: "delivered", version: 1 } as const;
        await db.insert(credentials).values({ ...row, targetFloor: floor, updatedAt: 0 });
      }
    },
    addAgent: (id) => addAgent(id),
    addPerson: async (id, role, enabled) => {
      await db.insert(users).values({ id, email: id, name: id, role, enabled, createdAt: 0 });
    },
    addJob: async (job) => {
      await db.insert(jobs).values(jobRow(job));
    },
    addSealed: async (connectionId, agentId, jwe) => {
      const row = {
        connectionId,
        agentId,
        jwe,
        state: "present",
        status: "pending",
        version: 1,
        updatedAt: 0,
      } as const;
      const [of] = await db.select().from(connections).where(eq(connections.id, connectionId));
      await db.insert(credentials).values({ ...row, type: of?.type ?? null });
    },
    loseRuns: () => {
      runsAreLost = true;
    },
    endOf: async (jobId) => {
      const [row] = await db.select().from(jobs).where(eq(jobs.id, jobId));
      return reported.get(jobId) ?? (row?.status === "queued" ? undefined : row?.status);
    },
    staleOf: async (jobId) =>
      (await findStaleResults(db, jobId)).map(({ agentId, lease, status }) => ({ agentId, lease, status })),
    heartbeatOf: async (agentId) => {
      const [row] = await db.select().from(agents).where(eq(agents.id, agentId));
      return row?.lastHeartbeatAt ?? null;
    },
    away: async () => {
      await libsql.server.stop();
      return createDispatcherPorts(deps);
    },
    stop: () => libsql.dispose(),
  };
}
