import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { jobStatesOf } from "../../worker/actors/dispatcher/views.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { AGENTS, Play, anyStep } from "../support/dispatcher-play.ts";
import type { Names, Place, Subject } from "../support/dispatcher-play.ts";
import { createAgent, createConnection } from "../support/management.ts";
import { DispatcherHarness, connection, order } from "../support/dispatcher-harness.ts";
import { dispatcherObject, recordJob } from "../support/dispatcher-object.ts";
import { FULL } from "../support/full.ts";

/**
 * The same histories for the harness of the dispatcher's tests and for the real object in workerd, with its alarm,
 * storage and database: every call must give the same answer. Histories are short, so that no time limit passes.
 */
const HISTORIES = FULL ? 60 : 4;
/** The same histories with every run, except a full one. */
const SEED = FULL ? Date.now() : 15;

let bellhop: Bellhop;

beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(async () => {
  await bellhop?.stop();
});

function harnessPlace({ agentIds, connections }: Names): Place {
  const harness = new DispatcherHarness();
  for (const [index, id] of connections.entries()) {
    const pinnedAgentId = agentIds[index - 1] ?? null;
    harness.connections.set(id, connection(id, { target: { poolObject: "pool:web", pinnedAgentId } }));
  }
  const called =
    <A extends unknown[], R>(work: (...args: A) => R | Promise<R>) =>
    async (...args: A): Promise<R> => {
      harness.now += 5;
      return work(...args);
    };
  return {
    subject: {
      register: called((...args) => harness.dispatcher.register(...args)),
      poll: called((...args) => harness.dispatcher.poll(...args)),
      heartbeat: called((...args) => harness.dispatcher.heartbeat(...args)),
      results: called((...args) => harness.dispatcher.results(...args)),
      cancel: called((...args) => harness.dispatcher.cancel(...args)),
      configureAgent: called((...args) => harness.dispatcher.configureAgent(...args)),
      jobStates: called((jobIds) => jobStatesOf(harness.state, jobIds, harness.now)),
    },
    enqueue: called((jobId, changes) => harness.enqueue(order(jobId, { ...changes, queuedAt: harness.now }))),
    settled: () => harness.settled(),
    restart: async () => harness.restart(),
  };
}

async function realPlace(poolId: string): Promise<Place> {
  const name = `pool:${poolId}`;
  let lastAt = 0;
  /** The harness gives every call its own time, so two calls must not fall into one millisecond. */
  const later = async () => {
    while (Date.now() === lastAt) await Bun.sleep(1);
    lastAt = Date.now();
    return dispatcherObject(bellhop, name);
  };
  return {
    // The one cast: each method is the object's method of the same name.
    subject: new Proxy({} as Subject, {
      get:
        (_target, method: keyof Subject) =>
        async (...args: never[]) =>
          Reflect.apply((await later())[method], null, args),
    }),
    enqueue: async (jobId, changes) => {
      const order = await recordJob(bellhop, jobId, { ...changes, poolObject: name });
      await (await later()).enqueue([order]);
    },
    settled: async () => {},
    restart: () => bellhop.restartWorker(),
  };
}

describe("the harness and the object in workerd give the same answers", () => {
  const histories = fc.sample(fc.array(anyStep, { minLength: 25, maxLength: 45 }), { numRuns: HISTORIES, seed: SEED });
  test.each(histories.map((steps, index) => [index + 1, steps] as const))("history %d", async (index, steps) => {
    const poolId = `p-${index}`;
    const agentIds: string[] = [];
    for (let n = 0; n < AGENTS; n += 1) agentIds.push((await createAgent(bellhop, { poolId })).agent.id);
    agentIds.sort();
    const connections = [await createConnection(bellhop, { type: "script", poolId })];
    for (const agentId of agentIds) connections.push(await createConnection(bellhop, { type: "script", agentId }));
    const names = { agentIds, connections, prefix: `job_${index}` };
    const real = await new Play(await realPlace(poolId), names).run(steps);
    const expected = await new Play(harnessPlace(names), names).run(steps);
    expect(real).toEqual(expected);
  });
});
