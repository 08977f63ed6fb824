import { beforeEach, describe, expect, test } from "bun:test";
import type { PoolFacts } from "../../../worker/domain/alerts/conditions.ts";
import { AlerterHarness } from "../../support/alerter-harness.ts";

let place: AlerterHarness;
beforeEach(() => {
  place = new AlerterHarness();
});

describe("what lasts", () => {
  const agent = (more: object = {}) => ({
    id: "agt_1",
    name: "one",
    counts: true,
    isOffline: true,
    heardAt: place.now,
    ...more,
  });
  const pool = (more: Partial<PoolFacts> = {}): PoolFacts => ({
    poolId: "web",
    oldestQueuedAt: null,
    agents: [agent()],
    ...more,
  });

  test.each<[on: string, pools: () => PoolFacts[], begins: string, ends: string]>([
    ["agent_offline", () => [pool()], 'The agent "one" is offline', 'The agent "one" is online again'],
    [
      "pool_offline",
      () => [pool()],
      'All agents of the pool "web" are offline',
      'The pool "web" has an online agent again',
    ],
    [
      "queue_old",
      () => [pool({ agents: [], oldestQueuedAt: place.now })],
      'A job waits too long in the pool "web"',
      'No job waits too long in the pool "web"',
    ],
  ])("%s is reported once it has lasted, once over a restart, and at its end", async (on, pools, begins, ends) => {
    place.addRule({ on, minutes: 10, groupMinutes: 0 });
    place.pools = pools();
    await place.minutes(9);
    expect(place.sent).toEqual([]);
    await place.minutes(1);
    place.restart();
    await place.minutes(20);
    expect(place.subjects()).toEqual([begins]);
    place.pools = [pool({ agents: [agent({ isOffline: false })] })];
    await place.minutes(3);
    expect(place.subjects()).toEqual([begins, ends]);
  });

  test.each([
    ["agent_offline", 'The agent "one" is offline'],
    ["pool_offline", 'All agents of the pool "web" are offline'],
    ["queue_old", 'A job waits too long in the pool "web"'],
  ])("of %s, a rule that allows more minutes afterwards reports no end that did not happen", async (on, begins) => {
    place.addRule({ on, minutes: 5, groupMinutes: 0 });
    place.pools = [pool({ oldestQueuedAt: place.now })];
    await place.minutes(8);
    place.changeRule(0, { minutes: 60 });
    await place.minutes(90);
    expect(place.subjects()).toEqual([begins]);
  });

  test("of a queue is over when no job has waited half as long, so that a busy one does not alternate", async () => {
    place.addRule({ on: "queue_old", minutes: 15, groupMinutes: 0 });
    for (let n = 0; n < 120; n += 1) {
      place.pools = [pool({ agents: [], oldestQueuedAt: place.now - (n % 2 === 0 ? 16 : 13) * 60_000 })];
      await place.minutes(1);
    }
    place.pools = [pool({ agents: [], oldestQueuedAt: place.now - 5 * 60_000 })];
    await place.minutes(1);
    expect(place.subjects()).toEqual([
      'A job waits too long in the pool "web"',
      'No job waits too long in the pool "web"',
    ]);
  });

  test("is not reported when it ends before", async () => {
    place.addRule({ on: "agent_offline", minutes: 10 });
    place.pools = [pool()];
    await place.minutes(9);
    place.pools = [pool({ agents: [agent({ isOffline: false })] })];
    await place.minutes(20);
    expect(place.sent).toEqual([]);
  });

  test("is neither begun nor ended by a pool that does not answer, or by an agent that was deleted or switched off", async () => {
    place.addRule({ on: "agent_offline", minutes: 1, groupMinutes: 0 });
    place.pools = [pool()];
    await place.minutes(2);
    place.pools = [];
    place.unread = { poolIds: ["web"], agentIds: ["agt_1"] };
    await place.minutes(5);
    expect(place.disk.count("conditions")).toBe(1);
    place.pools = [pool({ agents: [agent({ counts: false })] })];
    place.unread = { poolIds: [], agentIds: [] };
    await place.minutes(5);
    // It is forgotten: an agent that is switched on again was not away.
    expect(place.disk.count("conditions")).toBe(0);
    place.pools = [pool({ agents: [agent({ isOffline: false })] })];
    await place.minutes(5);
    expect(place.subjects()).toEqual(['The agent "one" is offline']);
  });

  test("of a pool is over when an agent is online, and not when its agents are switched off", async () => {
    place.addRule({ on: "pool_offline", minutes: 1, groupMinutes: 0 });
    place.pools = [pool()];
    await place.minutes(2);
    place.pools = [pool({ agents: [agent({ counts: false })] })];
    await place.minutes(2);
    expect(place.subjects()).toEqual(['All agents of the pool "web" are offline']);
    expect(place.disk.count("conditions")).toBe(0);
  });

  test("of pools and agents that take turns is kept until they are read again or gone", async () => {
    place.addRule({ on: "queue_old", minutes: 1, groupMinutes: 0 });
    const single = pool({ poolId: null, agents: [agent({ name: "single" })], oldestQueuedAt: place.now });
    place.pools = [single];
    await place.minutes(2);
    place.pools = [];
    place.unread = { poolIds: [], agentIds: ["agt_1"] };
    await place.minutes(2);
    place.pools = [{ ...single, oldestQueuedAt: null }];
    await place.minutes(2);
    const ends = ['A job waits too long for the agent "single"', 'No job waits too long for the agent "single"'];
    expect(place.subjects()).toEqual(ends);
  });

  test("is reported only of the rule's pools; a pool with an agent online, or with none, is not offline", async () => {
    place.addRule({ on: "agent_offline", minutes: 1, groupMinutes: 0, poolIds: ["db"] });
    place.addRule({ on: "pool_offline", minutes: 1, groupMinutes: 0, receivers: ["ntr_2"] });
    place.pools = [
      pool({ agents: [agent(), agent({ id: "agt_2", isOffline: false })] }),
      pool({ poolId: null, agents: [agent({ id: "agt_3", name: "single" })] }),
      pool({ poolId: "db", agents: [agent({ id: "agt_4", name: "four" })] }),
      pool({ poolId: "empty", agents: [] }),
    ];
    await place.minutes(3);
    expect([place.subjects("ntr_1"), place.subjects("ntr_2")]).toEqual([
      ['The agent "four" is offline'],
      ['All agents of the pool "db" are offline'],
    ]);
  });

  test("is forgotten by a rule that is switched off, and reported again after", async () => {
    const rule = place.addRule({ on: "agent_offline", minutes: 1, groupMinutes: 0 });
    place.pools = [pool()];
    await place.minutes(2);
    place.rules.splice(0, 1, { id: "nru_1", since: 0, rule: { ...rule, enabled: false } });
    await place.minutes(2);
    place.rules.splice(0, 1, { id: "nru_1", since: place.now, rule });
    await place.minutes(2);
    expect(place.subjects()).toEqual(['The agent "one" is offline', 'The agent "one" is offline']);
  });
});

describe("a database that is away", () => {
  test("is reported while it is away, also after a restart, and when it is back", async () => {
    place.addRule({ on: "database_trouble", minutes: 3, groupMinutes: 0 });
    await place.minutes(1);
    place.isDatabaseAway = true;
    await place.minutes(3);
    expect(place.sent).toEqual([]);
    place.restart();
    await place.minutes(1);
    expect(place.subjects()).toEqual(["The service cannot read its database"]);
    await place.minutes(10);
    place.isDatabaseAway = false;
    await place.minutes(2);
    expect(place.subjects()).toEqual([
      "The service cannot read its database",
      "The service can read its database again",
    ]);
  });

  test("for less than the rule's minutes is not reported", async () => {
    place.addRule({ on: "database_trouble", minutes: 3 });
    await place.minutes(1);
    for (const isAway of [true, false, true, false]) {
      place.isDatabaseAway = isAway;
      await place.minutes(2);
    }
    expect(place.sent).toEqual([]);
  });

  test("keeps the reported state of agents", async () => {
    place.addRule({ on: "agent_offline", minutes: 1, groupMinutes: 0 });
    const away = { id: "agt_1", name: "one", counts: true, isOffline: true, heardAt: place.now };
    place.pools = [{ poolId: "web", oldestQueuedAt: null, agents: [away] }];
    await place.minutes(2);
    place.isDatabaseAway = true;
    await place.minutes(5);
    place.isDatabaseAway = false;
    await place.minutes(5);
    expect(place.subjects()).toEqual(['The agent "one" is offline']);
  });
});
