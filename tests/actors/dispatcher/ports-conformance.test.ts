import "../../support/quiet-log.ts";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { BOOTSTRAP_PERSON } from "../../../worker/services/principal.ts";
import type { JobFacts } from "../../../worker/actors/dispatcher/rules/job.ts";
import { queueJob } from "../../../worker/actors/dispatcher/rules/job.ts";
import type { AgentJobOrder, JobReport } from "../../../worker/domain/job-order.ts";
import { order } from "../../support/dispatcher-harness.ts";
import { fakePorts, realPorts } from "../../support/dispatcher-ports-places.ts";
import type { ConnectionFacts, PortsPlace } from "../../support/dispatcher-ports-places.ts";

/** The ports that the dispatcher's tests use and the real ones on libSQL: every case must pass at both. */
const CHAT: Partial<ConnectionFacts> = { type: "chat", config: { defaultChannel: "C024BE91L" } };
const LONE_AGENT = { id: "a", poolId: null, deleted: false };
const OF_AGENT = { target: { poolObject: "agent:a", pinnedAgentId: "a" } };
const NO_EXECUTION = { executionId: null, workflowId: null, nodeRunId: null };

function report(jobId: string, changes: Partial<JobReport> = {}): JobReport {
  const times = { queuedAt: 1, assignedAt: 2, deliveredAt: 3, startedAt: 4, finishedAt: 5, reportedAt: 6 };
  return {
    jobId,
    attempt: 1,
    status: "succeeded",
    output: null,
    error: null,
    agentId: "a",
    times,
    lost: false,
    ...changes,
  };
}
const factsOf = (job: AgentJobOrder): JobFacts => queueJob(job).facts;

describe.each([
  ["the fake ports", fakePorts],
  ["the real ports", realPorts],
])("%s", (_name, open) => {
  let place: PortsPlace;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(() => place.stop());

  test("create distinct leases that can be listed with jobs", () => {
    const leases = [place.ports.newLease(), place.ports.newLease()];
    expect(new Set(leases).size).toBe(2);
    for (const lease of leases) expect(lease).toMatch(/^[^:,\s]{1,64}$/u);
    expect([place.ports.idlePollSeconds, typeof place.ports.now()]).toEqual([60, "number"]);
  });

  describe("reading connections", () => {
    const read = async (id: string, agentId: string | null = null) =>
      (await place.ports.readConnections([id], agentId)).get(id);

    test.each<[string, Partial<ConnectionFacts>, object]>([
      ["a pool", {}, {}],
      ["an agent without a pool", { poolId: null, agent: LONE_AGENT }, OF_AGENT],
      [
        "an agent in a pool, which has precedence over the connection's pool",
        { poolId: "other", agent: { ...LONE_AGENT, poolId: "db" } },
        { target: { poolObject: "pool:db", pinnedAgentId: "a" } },
      ],
      [
        "a deleted agent",
        { poolId: null, agent: { ...LONE_AGENT, deleted: true } },
        { ...OF_AGENT, agentDeleted: true },
      ],
      ["neither an agent nor a pool", { poolId: null }, { target: null }],
      ["a pool, when it is disabled", { enabled: false }, { enabled: false }],
      ["a pool whose last agent with its credential has left", { hadCredential: true }, { hasCredential: true }],
    ])("gives the current state of a connection to %s", async (_where, facts, expected) => {
      await place.addConnection("c", facts);
      const { wanted, approvedTarget, ...plain } = (await read("c")) ?? {};
      expect(plain).toEqual({
        id: "c",
        type: "script",
        config: {},
        enabled: true,
        needsCredential: false,
        usableBy: null,
        target: { poolObject: "pool:web", pinnedAgentId: null },
        hasCredential: false,
        isDelivered: false,
        agentDeleted: false,
        ...expected,
      });
      expect(wanted).toBeNull();
      expect(approvedTarget?.()).toBeString();
    });

    test("leaves out missing connections and those that were not requested", async () => {
      await place.addConnection("c");
      await place.addConnection("d");
      const found = await place.ports.readConnections(["c", "none", "c"], null);
      expect([...found.keys()]).toEqual(["c"]);
      expect(await place.ports.readConnections([], null)).toEqual(new Map());
    });

    test("says which credentials count, also by version if the target was edited", async () => {
      await place.addConnection("c", CHAT);
      await place.addConnection("d", { ...CHAT, targetEdits: 2, floors: { a: 7, b: 1 } });
      expect((await read("c"))?.wanted?.("a")).toEqual({ target: expect.any(String), floor: 0 });
      const floors = (await read("d"))?.wanted;
      expect(["a", "b", "new"].map((agentId) => floors?.(agentId).floor)).toEqual([7, 3, 3]);
      expect((await read("d", "a"))?.wanted?.("a").floor).toBe(7);
      expect((await read("d", "new"))?.wanted?.("new").floor).toBe(3);
    });
  });

  test("give the roles that people have now, without those who are disabled or deleted", async () => {
    await place.addPerson("usr_1", "editor", true);
    await place.addPerson("usr_2", "admin", false);
    await place.addPerson("usr_3", "viewer", true);
    const roles = await place.ports.readRoles(["usr_1", "usr_2", "usr_none", BOOTSTRAP_PERSON]);
    expect([...roles].toSorted()).toEqual([
      [BOOTSTRAP_PERSON, "admin"],
      ["usr_1", "editor"],
    ]);
    expect(await place.ports.readRoles([])).toEqual(new Map());
  });

  describe("recording credentials", () => {
    beforeEach(async () => {
      await place.addAgent("a");
      await place.addConnection("c", CHAT);
    });

    test("says which credentials are for another target than the current one", async () => {
      await place.addConnection("s");
      await place.addConnection("e", { ...CHAT, targetEdits: 1, floors: { a: 5 } });
      const target = (await place.ports.readConnections(["c"], "a")).get("c")?.wanted?.("a").target;
      const unusable = async (id: string, held: { version: number; target?: string | null }) =>
        (await place.ports.recordCredentials("a", new Map([[id, held]]))).unusable;
      expect(await unusable("c", { version: 0, target: target ?? null })).toEqual([]);
      expect(await unusable("c", { version: 0, target: "another" })).toEqual(["c"]);
      expect(await unusable("c", { version: 0, target: null })).toEqual(["c"]);
      expect(await unusable("c", { version: 0 })).toEqual([]);
      expect(await unusable("e", { version: 4 })).toEqual(["e"]);
      expect(await unusable("e", { version: 5 })).toEqual([]);
      // A missing connection, and one without a credential.
      expect(await unusable("none", { version: 0, target: null })).toEqual([]);
      expect(await unusable("s", { version: 0, target: null })).toEqual([]);
    });

    test("orders each missing credential once, and the job finds its ciphertext until it has ended", async () => {
      await place.addSealed("c", "a", "sealed");
      const none = new Map();
      const [job, ...others] = (await place.ports.recordCredentials("a", none)).orders;
      if (job?.connectionId == null) throw new Error("nothing was ordered");
      expect(others).toEqual([]);
      expect(job).toMatchObject({ kind: "credentialSync", action: null, effect: "idempotent", attempt: 1 });
      expect(job).toMatchObject({ ...NO_EXECUTION, connectionId: "c", poolObject: "pool:web", pinnedAgentId: "a" });
      expect(job).toMatchObject({ params: { state: "present", version: 1 }, timeoutSeconds: 60 });
      expect((await place.ports.recordCredentials("a", none)).orders).toEqual([]);
      expect(await place.ports.readSyncs(["none", job.jobId])).toEqual(
        new Map([
          [
            job.jobId,
            {
              connection: { id: "c", type: "chat", config: { defaultChannel: "C024BE91L" } },
              params: { state: "present", version: 1, jwe: "sealed" },
            },
          ],
        ]),
      );
      const facts = factsOf({ ...job, connectionId: job.connectionId });
      await place.ports.reportEnd(facts, report(job.jobId, { output: { state: "present", version: 1 } }));
      expect(await place.ports.readSyncs([job.jobId])).toEqual(new Map());
      expect(await place.endOf(job.jobId)).toBe("succeeded");
    });
  });

  describe("reporting an end", () => {
    test.each([
      ["that no execution ordered", NO_EXECUTION],
      ["of an execution", {}],
    ])("of a job %s keeps the first", async (_which, changes) => {
      const job = order("j", changes);
      await place.addJob(job);
      await place.ports.reportEnd(factsOf(job), report("j", { status: "failed" }));
      await place.ports.reportEnd(factsOf(job), report("j", { status: "cancelled" }));
      expect(await place.endOf("j")).toBe("failed");
    });

    test("that a run does not accept fails", async () => {
      const job = order("j");
      await place.addJob(job);
      place.loseRuns();
      await expect(place.ports.reportEnd(factsOf(job), report("j"))).rejects.toThrow("does not answer");
      expect(await place.endOf("j")).toBeUndefined();
    });
  });

  test("record a result that is not applied once for each lease, and none of a missing job", async () => {
    await place.addJob(order("j"));
    const result = {
      status: "failed",
      output: null,
      error: null,
      startedAt: null,
      finishedAt: "2026-01-05T12:00:00Z",
    } as const;
    for (const jobId of ["j", "none"]) {
      for (const lease of ["one", "two", "one"]) {
        await place.ports.recordStaleResult("a", { jobId, lease, ...result }, lease === "one" ? 1 : 2);
      }
    }
    expect(await place.staleOf("j")).toEqual([
      { agentId: "a", lease: "one", status: "failed" },
      { agentId: "a", lease: "two", status: "failed" },
    ]);
    expect(await place.staleOf("none")).toEqual([]);
  });

  test("record when agents were last heard, never go back, and accept unknown agents and empty lists", async () => {
    await place.addAgent("a");
    await place.ports.recordHeartbeats([]);
    expect(await place.heartbeatOf("a")).toBeNull();
    for (const lastHeartbeatAt of [20, 30, 10]) {
      const heartbeats = [
        { agentId: "unknown", lastHeartbeatAt },
        { agentId: "a", lastHeartbeatAt },
      ];
      await place.ports.recordHeartbeats(heartbeats);
    }
    expect(await place.heartbeatOf("a")).toBe(30);
  });

  test("fail in every call without a database", async () => {
    const ports = await place.away();
    const job = order("j", NO_EXECUTION);
    const at = "2026-01-05T12:00:00Z";
    const result = {
      jobId: "j",
      lease: "l",
      status: "failed",
      output: null,
      error: null,
      startedAt: at,
      finishedAt: at,
    } as const;
    const calls = [
      ports.readConnections(["c"], null),
      ports.readRoles(["usr_1"]),
      ports.readSyncs(["j"]),
      ports.recordCredentials("a", new Map()),
      ports.reportEnd(factsOf(job), report("j")),
      ports.recordStaleResult("a", result, 1),
      ports.recordHeartbeats([{ agentId: "a", lastHeartbeatAt: 1 }]),
    ];
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
  });
});
