import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { compareCandidates, obstacleFor, pollingUntil } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import type { Candidate } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { ReadyList } from "../../../worker/actors/dispatcher/rules/ready-list.ts";
import { job, candidate } from "../../support/candidates.ts";

/** A list of candidates that the test changes behind the list's back. */
function listOver(candidates: Map<string, Candidate>): ReadyList {
  const list = new ReadyList({
    candidate: (agentId) => candidates.get(agentId) ?? null,
    holders: (connectionId) =>
      new Set(
        [...candidates.values()].filter((each) => each.credentials.has(connectionId)).map(({ agentId }) => agentId),
      ),
  });
  for (const agentId of candidates.keys()) list.renew(agentId);
  return list;
}

function listOf(...candidates: Candidate[]): ReadyList {
  return listOver(new Map(candidates.map((each) => [each.agentId, each])));
}

describe("a job goes to", () => {
  test.each<[string, Partial<Candidate>, Partial<Candidate>, boolean]>([
    ["the agent with the higher score", { healthScore: 99 }, { healthScore: 100 }, false],
    [
      "the agent with the higher score, even with more running jobs",
      { healthScore: 100, runningJobs: 4 },
      { healthScore: 99 },
      true,
    ],
    ["the agent with fewer running jobs", { runningJobs: 2 }, { runningJobs: 1 }, false],
    ["the agent that is idle for longer", { lastBusyAt: 2_000 }, { lastBusyAt: 1_000 }, false],
    ["the worse agent when the better one is full", { room: 3 }, { healthScore: 101, room: 0 }, true],
    ["the worse agent when the better one is offline", {}, { healthScore: 101, status: "Offline" }, true],
    ["the worse agent when the better one is disabled", {}, { healthScore: 101, enabled: false }, true],
    ["the worse agent when the better one stopped polling", {}, { healthScore: 101, polling: false }, true],
    ["a degraded agent when there is no other", { status: "Degraded", healthScore: 60 }, { status: "Offline" }, true],
  ])("%s", (_rule, first, second, firstGetsIt) => {
    const list = listOf(candidate("first", first), candidate("second", second));
    expect(list.best(job("job_1"))).toBe(firstGetsIt ? "first" : "second");
  });

  test("the agent that has the connection's credential if the connection needs one", () => {
    const list = listOf(
      candidate("first", { healthScore: 100 }),
      candidate("second", { healthScore: 60, credentials: new Set(["con_1"]) }),
    );
    expect(list.best(job("job_1", { needsCredential: true }))).toBe("second");
    expect(list.best(job("job_1", { needsCredential: true, secretsFrom: "con_2" }))).toBeNull();
  });

  test("the agent that has the job's features, or any agent if the job needs none", () => {
    const list = listOf(
      candidate("old", { healthScore: 100 }),
      candidate("new", { healthScore: 60, features: ["namedValues"] }),
    );
    expect(list.best(job("job_1", { features: ["namedValues"] }))).toBe("new");
    expect(list.best(job("job_1", { features: ["namedValues"], pinnedAgentId: "old" }))).toBeNull();
    expect(list.best(job("job_1", { features: ["namedValues"], lostBy: "new" }))).toBe("new");
    expect(list.best(job("job_1"))).toBe("old");
  });

  test("only the agent that it is pinned to", () => {
    const list = listOf(candidate("first"), candidate("second", { status: "Offline" }));
    expect(list.best(job("job_1", { pinnedAgentId: "second" }))).toBeNull();
    expect(list.best(job("job_1", { pinnedAgentId: "first" }))).toBe("first");
  });
});

describe("the list of agents that have room", () => {
  test("gives each job to the currently best agent, until no agent has room", () => {
    const candidates = new Map(
      [candidate("a", { room: 2 }), candidate("b", { room: 2 })].map((each) => [each.agentId, each]),
    );
    const list = listOver(candidates);
    const given = ["job_1", "job_2", "job_3", "job_4", "job_5"].map((id) => {
      const agentId = list.best(job(id));
      const taken = candidates.get(agentId ?? "");
      if (taken === undefined) return null;
      candidates.set(taken.agentId, { ...taken, room: taken.room - 1, runningJobs: taken.runningJobs + 1 });
      list.renew(taken.agentId);
      return agentId;
    });
    expect(given).toEqual(["a", "b", "a", "b", null]);
    expect(list.size).toBe(0);
  });

  test("checks an agent again before it chooses it, and skips one that got worse or went away", () => {
    const candidates = new Map(
      [candidate("a", { healthScore: 100 }), candidate("b", { healthScore: 90 })].map((s) => [s.agentId, s]),
    );
    const list = listOver(candidates);
    candidates.set("a", candidate("a", { healthScore: 80 }));
    expect(list.best(job("job_1"))).toBe("b");
    candidates.set("b", candidate("b", { status: "Offline" }));
    expect(list.best(job("job_1"))).toBe("a");
    expect(list.has("b")).toBe(false);
    candidates.set("b", candidate("b", { healthScore: 90 }));
    list.renew("b");
    expect(list.best(job("job_1"))).toBe("b");
  });

  test("chooses like a full comparison of all agents, after any changes between two choices", () => {
    const agent = fc.record({
      healthScore: fc.integer({ min: 40, max: 43 }),
      runningJobs: fc.nat(2),
      room: fc.nat(2),
      lastBusyAt: fc.nat(2),
      polling: fc.boolean(),
      credentials: fc.boolean().map((has) => new Set(has ? ["con_1"] : [])),
    });
    const change = fc.record({ of: fc.nat(5), to: agent, notified: fc.boolean(), needsCredential: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(agent, { minLength: 6, maxLength: 6 }),
        fc.array(change, { maxLength: 30 }),
        (first, later) => {
          const candidates = new Map(first.map((changes, n) => [`agent${n}`, candidate(`agent${n}`, changes)]));
          const list = listOver(candidates);
          for (const { of, to, notified, needsCredential } of later) {
            const agentId = `agent${of}`;
            const before = candidates.get(agentId);
            const after = candidate(agentId, to);
            // The list gets no notice of changes by time alone, which never make an agent better.
            const isWorse = before !== undefined && list.has(agentId) && compareCandidates(before, after) < 0;
            candidates.set(agentId, after);
            if (notified || !isWorse) list.renew(agentId);
            const open = [...candidates.values()].filter(
              (each) => obstacleFor(job("job_1", { needsCredential }), each) === null,
            );
            const expected = open.toSorted(compareCandidates)[0]?.agentId ?? null;
            expect(list.best(job("job_1", { needsCredential }))).toBe(expected);
          }
        },
      ),
    );
  });
});

test("an agent counts as polling for 15 s or three intervals after a poll, but 15 s after a wake message", () => {
  expect(pollingUntil(null, 5_000, null, null)).toBeNull();
  expect(pollingUntil(0, 1_000, null, null)).toBe(15_000);
  expect(pollingUntil(0, 60_000, null, null)).toBe(180_000);
  expect(pollingUntil(0, 60_000, 20_000, null)).toBe(35_000);
  expect(pollingUntil(0, 1_000, 10_000, null)).toBe(15_000);
});

test("an agent counts as polling while its wake socket is alive, but only for 15 s after a wake message", () => {
  expect(pollingUntil(null, 5_000, null, 7_000)).toBe(97_000);
  expect(pollingUntil(0, 5_000, null, 60_000)).toBe(150_000);
  expect(pollingUntil(0, 300_000, null, 60_000)).toBe(900_000);
  expect(pollingUntil(0, 5_000, 61_000, 60_000)).toBe(76_000);
});
