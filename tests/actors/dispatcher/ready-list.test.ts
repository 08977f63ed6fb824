import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { compareSeats, obstacleFor } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import type { Seat, WaitingJob } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { ReadyList } from "../../../worker/actors/dispatcher/rules/ready-list.ts";

/** More than are compared one by one. */
const AGENTS = 90;
/** More than have a list of their own at a time. */
const CONNECTIONS = 40;

const standing = fc.record({
  healthScore: fc.integer({ min: 40, max: 43 }),
  room: fc.nat(1),
  lastBusyAt: fc.nat(3),
  /** Whose credential it lacks; most have all. */
  lacks: fc.option(fc.nat(CONNECTIONS - 1)),
  isOld: fc.boolean(),
  /** Of protocol 1, and of a later release. */
  less: fc.subarray(["script.bash", "script.python"]),
  more: fc.subarray(["redis.get"]),
});
const change = fc.record({
  of: fc.nat(AGENTS - 1),
  to: standing,
  connection: fc.nat(CONNECTIONS - 1),
  needsCredential: fc.boolean(),
  needsFeature: fc.boolean(),
  action: fc.constantFrom(undefined, "script.bash", "script.python", "redis.get"),
  secrets: fc.option(fc.nat(CONNECTIONS - 1), { nil: undefined }),
});

function seat(
  agentId: string,
  { lacks, isOld, less, more, ...rest }: typeof standing extends fc.Arbitrary<infer S> ? S : never,
): Seat {
  const all = Array.from({ length: CONNECTIONS }, (_, n) => `con_${n}`);
  const credentials = new Set(all.filter((_, n) => n !== lacks));
  const usual = { name: agentId, registered: true, enabled: true, polling: true, runningJobs: 0 };
  return {
    agentId,
    ...usual,
    status: "Online",
    ...rest,
    credentials,
    features: isOld ? [] : ["namedValues"],
    actions: { less, more },
  };
}

test("of many that have a credential, a feature or an action, the best is chosen, as looking at every agent would, whatever changes in between", () => {
  fc.assert(
    fc.property(
      fc.array(standing, { minLength: AGENTS, maxLength: AGENTS }),
      fc.array(change, { minLength: 50, maxLength: 100 }),
      (first, later) => {
        const seats = new Map(first.map((each, n) => [`agent${n}`, seat(`agent${n}`, each)]));
        const list = new ReadyList({
          seat: (agentId) => seats.get(agentId) ?? null,
          holders: (id) =>
            new Set([...seats.values()].filter((each) => each.credentials.has(id)).map(({ agentId }) => agentId)),
        });
        for (const agentId of seats.keys()) list.renew(agentId);
        for (const { of, to, connection, secrets, needsCredential, needsFeature, action } of later) {
          seats.set(`agent${of}`, seat(`agent${of}`, to));
          list.renew(`agent${of}`);
          const job: WaitingJob = {
            jobId: "job_1",
            connectionId: `con_${connection}`,
            pinnedAgentId: null,
            needsCredential,
            action,
            secretsFrom: secrets === undefined ? undefined : `con_${secrets}`,
            ...(needsFeature ? { features: ["namedValues"] } : {}),
            assignedTo: null,
          };
          const open = [...seats.values()].filter((each) => obstacleFor(job, each) === null);
          expect(list.best(job)).toBe(open.toSorted(compareSeats)[0]?.agentId ?? null);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test("agents without the feature are not looked at for each job that needs it", () => {
  const idle = { healthScore: 100, room: 1, lastBusyAt: 0, lacks: null, less: [], more: [] };
  const seats = new Map(
    Array.from({ length: AGENTS }, (_, n) => [`old${n}`, seat(`old${n}`, { ...idle, isOld: true })]),
  );
  seats.set("new", seat("new", { ...idle, isOld: false, lastBusyAt: 1 }));
  let looks = 0;
  const list = new ReadyList({
    seat: (agentId) => {
      looks += 1;
      return seats.get(agentId) ?? null;
    },
    holders: () => new Set(seats.keys()),
  });
  for (const agentId of seats.keys()) list.renew(agentId);
  for (const needsCredential of [false, true]) {
    const job: WaitingJob = {
      jobId: "job_1",
      connectionId: "con_1",
      pinnedAgentId: null,
      needsCredential,
      features: ["namedValues"],
      assignedTo: null,
    };
    expect(list.best(job)).toBe("new");
    looks = 0;
    expect(list.best(job)).toBe("new");
    expect(looks).toBe(1);
  }
});
