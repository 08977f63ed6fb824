import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import type { WaitingCode } from "../../schema/contract/management.ts";
import { compareSeats, obstacleFor, pollingUntil } from "../../worker/domain/dispatch.ts";
import type { Seat, WaitingJob } from "../../worker/domain/dispatch.ts";
import { ReadyList } from "../../worker/domain/ready-list.ts";
import { waitingReason } from "../../worker/domain/waiting-reason.ts";

function seat(agentId: string, changes: Partial<Seat> = {}): Seat {
  return {
    agentId,
    name: agentId,
    registered: true,
    enabled: true,
    status: "Online",
    healthScore: 100,
    polling: true,
    runningJobs: 0,
    room: 5,
    lastBusyAt: 0,
    credentials: new Set(),
    features: [],
    ...changes,
  };
}

function job(jobId: string, changes: Partial<WaitingJob> = {}): WaitingJob {
  return {
    jobId,
    connectionId: "con_1",
    pinnedAgentId: null,
    needsCredential: false,
    assignedTo: null,
    ...changes,
  };
}

/** A list over seats that the test changes under it. */
function listOver(seats: Map<string, Seat>): ReadyList {
  const list = new ReadyList({
    seat: (agentId) => seats.get(agentId) ?? null,
    holders: (connectionId) =>
      new Set([...seats.values()].filter((each) => each.credentials.has(connectionId)).map(({ agentId }) => agentId)),
  });
  for (const agentId of seats.keys()) list.renew(agentId);
  return list;
}

function listOf(...seats: Seat[]): ReadyList {
  return listOver(new Map(seats.map((each) => [each.agentId, each])));
}

describe("a job goes to", () => {
  test.each<[string, Partial<Seat>, Partial<Seat>, boolean]>([
    ["the higher score", { healthScore: 99 }, { healthScore: 100 }, false],
    ["the higher score, though it runs more", { healthScore: 100, runningJobs: 4 }, { healthScore: 99 }, true],
    ["the one with fewer running jobs", { runningJobs: 2 }, { runningJobs: 1 }, false],
    ["the one that is idle for longer", { lastBusyAt: 2_000 }, { lastBusyAt: 1_000 }, false],
    ["the other, when the better one is full", { room: 3 }, { healthScore: 101, room: 0 }, true],
    ["the other, when the better one is offline", {}, { healthScore: 101, status: "Offline" }, true],
    ["the other, when the better one is disabled", {}, { healthScore: 101, enabled: false }, true],
    ["the other, when the better one stopped polling", {}, { healthScore: 101, polling: false }, true],
    ["a degraded agent, when there is no other", { status: "Degraded", healthScore: 60 }, { status: "Offline" }, true],
  ])("%s", (_rule, first, second, firstGetsIt) => {
    const list = listOf(seat("first", first), seat("second", second));
    expect(list.best(job("job_1"))).toBe(firstGetsIt ? "first" : "second");
  });

  test("the agent that has the connection's credential, when the connection needs one", () => {
    const list = listOf(
      seat("first", { healthScore: 100 }),
      seat("second", { healthScore: 60, credentials: new Set(["con_1"]) }),
    );
    expect(list.best(job("job_1", { needsCredential: true }))).toBe("second");
    expect(list.best(job("job_1", { needsCredential: true, secretsFrom: "con_2" }))).toBeNull();
  });

  test("the agent that has the features that the job needs, and other jobs to any agent", () => {
    const list = listOf(seat("old", { healthScore: 100 }), seat("new", { healthScore: 60, features: ["namedValues"] }));
    expect(list.best(job("job_1", { features: ["namedValues"] }))).toBe("new");
    expect(list.best(job("job_1", { features: ["namedValues"], pinnedAgentId: "old" }))).toBeNull();
    expect(list.best(job("job_1", { features: ["namedValues"], lostBy: "new" }))).toBe("new");
    expect(list.best(job("job_1"))).toBe("old");
  });

  test("nobody but the agent that it is pinned to", () => {
    const list = listOf(seat("first"), seat("second", { status: "Offline" }));
    expect(list.best(job("job_1", { pinnedAgentId: "second" }))).toBeNull();
    expect(list.best(job("job_1", { pinnedAgentId: "first" }))).toBe("first");
  });
});

describe("the list of agents that have room", () => {
  test("gives each job to the best agent as it stands, one after another, up to everybody's room", () => {
    const seats = new Map([seat("a", { room: 2 }), seat("b", { room: 2 })].map((each) => [each.agentId, each]));
    const list = listOver(seats);
    const given = ["job_1", "job_2", "job_3", "job_4", "job_5"].map((id) => {
      const agentId = list.best(job(id));
      const taken = seats.get(agentId ?? "");
      if (taken === undefined) return null;
      seats.set(taken.agentId, { ...taken, room: taken.room - 1, runningJobs: taken.runningJobs + 1 });
      list.renew(taken.agentId);
      return agentId;
    });
    expect(given).toEqual(["a", "b", "a", "b", null]);
    expect(list.size).toBe(0);
  });

  test("looks at an agent again before it chooses it: one that got worse, or went away, is passed over", () => {
    const seats = new Map([seat("a", { healthScore: 100 }), seat("b", { healthScore: 90 })].map((s) => [s.agentId, s]));
    const list = listOver(seats);
    seats.set("a", seat("a", { healthScore: 80 }));
    expect(list.best(job("job_1"))).toBe("b");
    seats.set("b", seat("b", { status: "Offline" }));
    expect(list.best(job("job_1"))).toBe("a");
    expect(list.has("b")).toBe(false);
    seats.set("b", seat("b", { healthScore: 90 }));
    list.renew("b");
    expect(list.best(job("job_1"))).toBe("b");
  });

  test("chooses as looking at every agent would, whatever changes between two choices", () => {
    const agent = fc.record({
      healthScore: fc.integer({ min: 40, max: 43 }),
      runningJobs: fc.nat(2),
      room: fc.nat(2),
      lastBusyAt: fc.nat(2),
      polling: fc.boolean(),
      credentials: fc.boolean().map((has) => new Set(has ? ["con_1"] : [])),
    });
    const change = fc.record({ of: fc.nat(5), to: agent, told: fc.boolean(), needsCredential: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(agent, { minLength: 6, maxLength: 6 }),
        fc.array(change, { maxLength: 30 }),
        (first, later) => {
          const seats = new Map(first.map((changes, n) => [`agent${n}`, seat(`agent${n}`, changes)]));
          const list = listOver(seats);
          for (const { of, to, told, needsCredential } of later) {
            const agentId = `agent${of}`;
            const before = seats.get(agentId);
            const after = seat(agentId, to);
            // Nobody tells the list of what time alone does, and that makes nobody better.
            const isWorse = before !== undefined && list.has(agentId) && compareSeats(before, after) < 0;
            seats.set(agentId, after);
            if (told || !isWorse) list.renew(agentId);
            const open = [...seats.values()].filter(
              (each) => obstacleFor(job("job_1", { needsCredential }), each) === null,
            );
            const expected = open.toSorted(compareSeats)[0]?.agentId ?? null;
            expect(list.best(job("job_1", { needsCredential }))).toBe(expected);
          }
        },
      ),
    );
  });
});

test("an agent asks for jobs for 15 s after a poll, or for three of its own intervals, but only 15 s after it was told to", () => {
  expect(pollingUntil(null, 5_000, null)).toBeNull();
  expect(pollingUntil(0, 1_000, null)).toBe(15_000);
  expect(pollingUntil(0, 60_000, null)).toBe(180_000);
  expect(pollingUntil(0, 60_000, 20_000)).toBe(35_000);
  expect(pollingUntil(0, 1_000, 10_000)).toBe(15_000);
});

describe("why a job waits", () => {
  test.each<[string, Partial<WaitingJob>, Seat[], string]>([
    ["no agent", {}, [], "The pool has no agent yet: create one in it, and start it."],
    [
      "one that is offline",
      {},
      [seat("a", { status: "Offline" })],
      "No agent of the pool can take it: a is offline. Start it.",
    ],
    [
      "several, each for its own reason",
      { needsCredential: true },
      [seat("a", { status: "Offline" }), seat("b", { status: "Offline" }), seat("c")],
      "No agent of the pool can take it: 2 offline, 1 without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "one without what its script gets, whatever its own connection needs",
      { secretsFrom: "con_vault" },
      [seat("a"), seat("b", { status: "Offline" })],
      "No agent of the pool can take it: 1 without the secrets that its script gets, 1 offline. Deliver the credential of connection con_vault.",
    ],
    [
      "a pinned agent without what its script gets",
      { pinnedAgentId: "a", secretsFrom: "con_vault" },
      [seat("a")],
      "Its agent a is without the secrets that its script gets. Deliver the credential of connection con_vault.",
    ],
    [
      "one that is too old",
      { features: ["namedValues"] },
      [seat("a")],
      "No agent of the pool can take it: a is too old for named values. Update it.",
    ],
    [
      "several that are too old, with a credential or without",
      { features: ["namedValues"], needsCredential: true },
      [seat("a"), seat("b", { credentials: new Set(["con_1"]) }), seat("c", { status: "Offline" })],
      "No agent of the pool can take it: 2 too old for named values, 1 offline. Update one.",
    ],
    [
      "an agent that is too old beside one without the credential",
      { features: ["namedValues"], needsCredential: true },
      [seat("a"), seat("b", { features: ["namedValues"] })],
      "No agent of the pool can take it: 1 too old for named values, 1 without the connection's credential. Deliver the credential of connection con_1.",
    ],
    [
      "a pinned agent that is too old",
      { pinnedAgentId: "a", features: ["namedValues"] },
      [seat("a")],
      "Its agent a is too old for named values. Update it.",
    ],
    [
      "full ones",
      {},
      [seat("a", { room: 0 })],
      "No agent of the pool can take it: a is busy with as many jobs as it may run.",
    ],
    [
      "a poll loop that hangs",
      {},
      [seat("a", { polling: false })],
      "No agent of the pool can take it: a is online but not asking for jobs. Restart it.",
    ],
    [
      "one that never started",
      {},
      [seat("a", { registered: false })],
      "No agent of the pool can take it: a was never started. Start it with its key.",
    ],
    [
      "several, of which most are disabled",
      {},
      [seat("a", { enabled: false }), seat("b", { status: "Offline" }), seat("c", { enabled: false })],
      "No agent of the pool can take it: 2 disabled, 1 offline. Enable one.",
    ],
    [
      "a pinned agent that is offline",
      { pinnedAgentId: "a" },
      [seat("a", { status: "Offline" })],
      "Its agent a is offline. Start it.",
    ],
    ["the next poll", {}, [seat("a")], "Agent a gets it with its next poll."],
    [
      "the agent that it is assigned to",
      { assignedTo: "b" },
      [seat("a"), seat("b")],
      "Agent b gets it with its next poll.",
    ],
    [
      "a pinned agent that is disabled",
      { pinnedAgentId: "a" },
      [seat("a", { enabled: false })],
      "Its agent a is disabled. Enable it.",
    ],
    [
      "a pinned agent that never started",
      { pinnedAgentId: "a" },
      [seat("a", { registered: false })],
      "Its agent a is not started yet. Start it with its key.",
    ],
    [
      "a pinned agent that is here",
      { pinnedAgentId: "a" },
      [seat("a"), seat("b")],
      "Agent a gets it with its next poll.",
    ],
  ])("is said in words: %s", (_case, changes, seats, expected) => {
    expect(waitingReason(job("job_1", changes), seats).reason).toBe(expected);
  });
});

test("what waits for the next poll names the agent that dispatch will choose, not the first that could", () => {
  const seats = [seat("sick", { healthScore: 50 }), seat("well", { healthScore: 100 })];
  expect(waitingReason(job("job_1"), seats).reason).toBe("Agent well gets it with its next poll.");
});

test.each<[WaitingCode, Partial<WaitingJob>, Seat[]]>([
  ["no_agent", {}, []],
  ["never_started", { pinnedAgentId: "a" }, []],
  ["never_started", { pinnedAgentId: "a" }, [seat("a", { registered: false })]],
  ["disabled", { pinnedAgentId: "a" }, [seat("a", { enabled: false })]],
  ["next_poll", {}, [seat("a")]],
  ["full", {}, [seat("a", { room: 0 })]],
  ["not_polling", {}, [seat("a", { polling: false })]],
  ["no_credential", { needsCredential: true }, [seat("a")]],
  ["no_secrets", { secretsFrom: "con_vault" }, [seat("a")]],
  ["no_credential", { needsCredential: true, secretsFrom: "con_vault" }, [seat("a")]],
  ["no_feature", { features: ["namedValues"] }, [seat("a")]],
  ["no_feature", { features: ["namedValues"], needsCredential: true }, [seat("a", { polling: false })]],
  ["offline", { features: ["namedValues"] }, [seat("a", { status: "Offline" })]],
  ["offline", {}, [seat("a", { enabled: false }), seat("b", { status: "Offline" }), seat("c", { status: "Offline" })]],
])("for counting, why it waits is %s", (code, changes, seats) => {
  expect(waitingReason(job("job_1", changes), seats).code).toBe(code);
});
