import { describe, expect, test } from "bun:test";
import { isPolling, planDispatch } from "../../worker/domain/dispatch.ts";
import type { Seat, WaitingJob } from "../../worker/domain/dispatch.ts";
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
  ])("%s", (_rule, poller, other, pollerGetsIt) => {
    const plan = planDispatch([job("job_1")], [seat("poller", poller), seat("other", other)], "poller");
    expect(plan.take).toEqual(pollerGetsIt ? ["job_1"] : []);
    expect(plan.assign).toEqual(pollerGetsIt ? [] : [{ jobId: "job_1", agentId: "other" }]);
  });

  test("the agent that has the connection's credential, when the connection needs one", () => {
    const seats = [
      seat("poller", { healthScore: 100 }),
      seat("other", { healthScore: 60, credentials: new Set(["con_1"]) }),
    ];
    expect(planDispatch([job("job_1", { needsCredential: true })], seats, "poller").assign).toEqual([
      { jobId: "job_1", agentId: "other" },
    ]);
  });

  test("nobody but the agent that it is pinned to", () => {
    const seats = [seat("poller"), seat("other", { status: "Offline" })];
    expect(planDispatch([job("job_1", { pinnedAgentId: "other" })], seats, "poller")).toEqual({
      take: [],
      assign: [],
      release: [],
    });
  });
});

describe("what is assigned", () => {
  test("is not taken away by another agent's poll", () => {
    const seats = [seat("poller", { healthScore: 100 }), seat("other", { healthScore: 60 })];
    expect(planDispatch([job("job_1", { assignedTo: "other" })], seats, "poller").take).toEqual([]);
  });

  test("goes to that agent when it polls, though another has become better", () => {
    const seats = [seat("poller", { healthScore: 60 }), seat("other")];
    expect(planDispatch([job("job_1", { assignedTo: "poller" })], seats, "poller").take).toEqual(["job_1"]);
  });

  test("goes to another when that agent stopped polling, and back into the queue when there is no other", () => {
    const gone = seat("other", { polling: false });
    const assigned = job("job_1", { assignedTo: "other" });
    expect(planDispatch([assigned], [seat("poller"), gone], "poller").take).toEqual(["job_1"]);
    expect(planDispatch([assigned], [seat("poller", { room: 0 }), gone], "poller").release).toEqual(["job_1"]);
  });
});

test("jobs are spread over equal agents, in the order in which they were queued, up to their room", () => {
  const jobs = ["job_1", "job_2", "job_3", "job_4", "job_5"].map((id) => job(id));
  const plan = planDispatch(jobs, [seat("a", { room: 2 }), seat("b", { room: 2 })], "a");
  expect(plan.take).toEqual(["job_1", "job_3"]);
  expect(plan.assign.map(({ jobId }) => jobId)).toEqual(["job_2", "job_4"]);
});

test("an agent polls when it did so within 15 s, or within three of its own intervals", () => {
  expect(isPolling(null, 5_000, 0)).toBe(false);
  expect(isPolling(0, 1_000, 14_999)).toBe(true);
  expect(isPolling(0, 5_000, 15_000)).toBe(false);
  expect(isPolling(0, 60_000, 179_999)).toBe(true);
  expect(isPolling(0, 60_000, 180_000)).toBe(false);
});

describe("why a job waits", () => {
  test.each<[string, Partial<WaitingJob>, Seat[], string]>([
    ["no agent", {}, [], "The pool has no agent yet: create one in it, and start it."],
    ["one that is offline", {}, [seat("a", { status: "Offline" })], "No agent of the pool can take it: 1 offline."],
    [
      "several, each for its own reason",
      { needsCredential: true },
      [seat("a", { status: "Offline" }), seat("b", { status: "Offline" }), seat("c")],
      "No agent of the pool can take it: 2 offline, 1 without the connection's credential.",
    ],
    [
      "full ones",
      {},
      [seat("a", { room: 0 })],
      "No agent of the pool can take it: 1 busy with as many jobs as it may run.",
    ],
    [
      "a poll loop that hangs",
      {},
      [seat("a", { polling: false })],
      "No agent of the pool can take it: 1 online but not asking for jobs.",
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
      "Its agent a is disabled.",
    ],
    [
      "a pinned agent that never started",
      { pinnedAgentId: "a" },
      [seat("a", { registered: false })],
      "Its agent a is not started yet.",
    ],
    [
      "a pinned agent that is here",
      { pinnedAgentId: "a" },
      [seat("a"), seat("b")],
      "Agent a gets it with its next poll.",
    ],
  ])("is said in words: %s", (_case, changes, seats, expected) => {
    expect(waitingReason(job("job_1", changes), seats)).toBe(expected);
  });
});

test("what waits for the next poll names the agent that dispatch will choose, not the first that could", () => {
  const seats = [seat("sick", { healthScore: 50 }), seat("well", { healthScore: 100 })];
  expect(waitingReason(job("job_1"), seats)).toBe("Agent well gets it with its next poll.");
});
