import { expect, test } from "bun:test";
import type { AgentJob } from "../../chaos/flood/agent.ts";
import { Attempts } from "../../chaos/flood/attempts.ts";
import { endedOnce, pausedBetweenAttempts } from "../../chaos/flood/checks.ts";
import type { FloodExecution } from "../../chaos/flood/checks.ts";
import { recovers } from "../../chaos/flood/figures.ts";
import type { FloodFigures } from "../../chaos/flood/figures.ts";
import type { FloodEvent } from "../../chaos/flood/send.ts";

const event: FloodEvent = { mark: "m", tries: 1, executionIds: ["e"], acceptMs: 1, sentAt: 0, refusals: {} };
const execution: FloodExecution = {
  id: "e",
  mark: "m",
  status: "succeeded",
  jobs: 1,
  succeededJobs: 1,
  lateResults: 0,
};
const job: AgentJob = { jobId: "j", lease: "l", mark: "m", ack: "accepted", ackedAt: 1 };
const unanswered = { ...event, executionIds: [], acceptMs: null };

test("an event that ended once, or was never accepted, breaks no promise", () => {
  expect(endedOnce([event], [execution], [job])).toEqual([]);
  expect(endedOnce([unanswered], [], [])).toEqual([]);
  expect(endedOnce([unanswered], [execution], [job])).toEqual([]);
});

test.each([
  ["no execution", { executions: [] }, /0 executions/u],
  ["two executions", { executions: [execution, { ...execution, id: "f" }] }, /2 executions/u],
  ["another execution than answered", { executions: [{ ...execution, id: "f" }] }, /answered with e/u],
  ["a running execution", { executions: [{ ...execution, status: "running" }] }, /which is running/u],
  ["two jobs", { executions: [{ ...execution, jobs: 2 }] }, /2 jobs/u],
  ["a job that started twice", { jobs: [job, { ...job, lease: "l2" }] }, /started 2 times/u],
  ["a result that was not taken", { jobs: [{ ...job, ack: "stale" as const }] }, /0 accepted/u],
  ["a late result", { executions: [{ ...execution, lateResults: 1 }] }, /1 late/u],
  ["an execution without an event", { events: [] }, /never sent/u],
])("%s is a violation", (_name, given, detail) => {
  const all = { events: [event], executions: [execution], jobs: [job], ...given };
  const found = endedOnce(all.events, all.executions, all.jobs);
  expect(found).toHaveLength(1);
  expect(found[0]?.detail).toMatch(detail);
});

test("the ninth try in a row without a pause is a violation", () => {
  const attempts = new Attempts();
  const tryOnce = (at: number) => {
    attempts.began("e:1", at);
    attempts.ended("e:1", at + 5);
  };
  for (let number = 0; number < 8; number += 1) tryOnce(number * 10);
  // A pause of 25 ms after the last answer begins a new row, and so does another batch.
  tryOnce(100);
  attempts.began("e:2", 106);
  expect(attempts.longest).toBe(8);
  expect(pausedBetweenAttempts(attempts.longest)).toEqual([]);
  for (let number = 1; number <= 8; number += 1) tryOnce(100 + number * 10);
  expect(attempts.longest).toBe(9);
  expect(pausedBetweenAttempts(attempts.longest)).toHaveLength(1);
});

const calm: FloodFigures = {
  database: "ours",
  fault: "none",
  isolates: 1,
  sent: 600,
  accepted: 600,
  finished: 600,
  repeated: 0,
  refusals: {},
  agentFailures: {},
  sentAllMs: 1_000,
  accept: { before: { probes: 25, p50Ms: 2 }, during: null, after: { probes: 25, p50Ms: 3 } },
  backlog: 600,
  drainMs: 6_000,
  drainPerSecond: 100,
  traffic: { requests: 0, writeBatches: 0, busyByProxy: 0, busyByServer: 0, statuses: {}, mostAtOnce: 0 },
  longestRow: 1,
};

test("a flood that recovers breaks no promise", () => {
  expect(recovers({ ...calm, drainPerSecond: 80 }, calm)).toEqual([]);
  expect(
    recovers({ ...calm, drainPerSecond: null, accept: { before: null, during: null, after: null } }, calm),
  ).toEqual([]);
});

test.each<[string, Partial<FloodFigures>, RegExp]>([
  ["an unfinished event", { finished: 599 }, /1 of 600/u],
  ["a slow drain", { drainPerSecond: 79 }, /0\.79/u],
  ["slow acceptance", { accept: { ...calm.accept, after: { probes: 25, p50Ms: 3.1 } } }, /3\.1 ms/u],
])("%s after a fault is a violation", (_name, figures, detail) => {
  const found = recovers({ ...calm, ...figures }, calm);
  expect(found).toHaveLength(1);
  expect(found[0]?.detail).toMatch(detail);
});
