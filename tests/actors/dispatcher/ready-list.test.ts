import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { compareCandidates, obstacleFor } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import type { Candidate, WaitingJob } from "../../../worker/actors/dispatcher/rules/candidate.ts";
import { ReadyList } from "../../../worker/actors/dispatcher/rules/ready-list.ts";

/** More agents than the list compares one by one. */
const AGENTS = 90;
/** More connections than have their own list at a time. */
const CONNECTIONS = 40;

const agentState = fc.record({
  healthScore: fc.integer({ min: 40, max: 43 }),
  room: fc.nat(1),
  lastBusyAt: fc.nat(3),
  /** The connection whose credential the agent lacks. Most agents lack none. */
  lacks: fc.option(fc.nat(CONNECTIONS - 1)),
  isOld: fc.boolean(),
  /** `less` is of protocol 1, `more` of a later release. */
  less: fc.subarray(["script.bash", "script.python"]),
  more: fc.subarray(["redis.get"]),
});
const change = fc.record({
  of: fc.nat(AGENTS - 1),
  to: agentState,
  connection: fc.nat(CONNECTIONS - 1),
  needsCredential: fc.boolean(),
  needsFeature: fc.boolean(),
  action: fc.constantFrom(undefined, "script.bash", "script.python", "redis.get"),
  secrets: fc.option(fc.nat(CONNECTIONS - 1), { nil: undefined }),
});

function candidate(
  agentId: string,
  { lacks, isOld, less, more, ...rest }: typeof agentState extends fc.Arbitrary<infer S> ? S : never,
): Candidate {
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

test("a list of many agents gives the same best agent as a full comparison, after any change", () => {
  fc.assert(
    fc.property(
      fc.array(agentState, { minLength: AGENTS, maxLength: AGENTS }),
      fc.array(change, { minLength: 50, maxLength: 100 }),
      (first, later) => {
        const candidates = new Map(first.map((each, n) => [`agent${n}`, candidate(`agent${n}`, each)]));
        const list = new ReadyList({
          candidate: (agentId) => candidates.get(agentId) ?? null,
          holders: (id) =>
            new Set([...candidates.values()].filter((each) => each.credentials.has(id)).map(({ agentId }) => agentId)),
        });
        for (const agentId of candidates.keys()) list.renew(agentId);
        for (const { of, to, connection, secrets, needsCredential, needsFeature, action } of later) {
          candidates.set(`agent${of}`, candidate(`agent${of}`, to));
          list.renew(`agent${of}`);
          const job: WaitingJob = {
            jobId: "job_1",
            connectionId: `con_${connection}`,
            pinnedAgentId: null,
            needsCredential,
            action,
            secretsFrom: secrets === undefined ? undefined : `con_${secrets}`,
            ...(needsFeature ? { features: ["namedValues"] } : {}),
            reservedFor: null,
          };
          const open = [...candidates.values()].filter((each) => obstacleFor(job, each) === null);
          expect(list.best(job)).toBe(open.toSorted(compareCandidates)[0]?.agentId ?? null);
        }
      },
    ),
    { numRuns: 30 },
  );
});

test("agents without a feature are not examined for each job that needs the feature", () => {
  const idle = { healthScore: 100, room: 1, lastBusyAt: 0, lacks: null, less: [], more: [] };
  const candidates = new Map(
    Array.from({ length: AGENTS }, (_, n) => [`old${n}`, candidate(`old${n}`, { ...idle, isOld: true })]),
  );
  candidates.set("new", candidate("new", { ...idle, isOld: false, lastBusyAt: 1 }));
  let looks = 0;
  const list = new ReadyList({
    candidate: (agentId) => {
      looks += 1;
      return candidates.get(agentId) ?? null;
    },
    holders: () => new Set(candidates.keys()),
  });
  for (const agentId of candidates.keys()) list.renew(agentId);
  for (const needsCredential of [false, true]) {
    const job: WaitingJob = {
      jobId: "job_1",
      connectionId: "con_1",
      pinnedAgentId: null,
      needsCredential,
      features: ["namedValues"],
      reservedFor: null,
    };
    expect(list.best(job)).toBe("new");
    looks = 0;
    expect(list.best(job)).toBe("new");
    expect(looks).toBe(1);
  }
});
