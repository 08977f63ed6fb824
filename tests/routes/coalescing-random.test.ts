import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { endWindows, titlesIn } from "../support/coalescing.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { createIncident, executionsOf, incidentWorkflow, matched } from "../support/incidents.ts";
import { getExecution } from "../support/management.ts";
import { call } from "../support/management-api.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("fire" as const),
      services: fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: "endWindows" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "restart" as const }) },
  { weight: 2, arbitrary: fc.constant({ do: "matchAgain" as const }) },
);

test("random events at once, ends of windows, restarts and repeated matches: each event is in one run", async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 6, maxLength: 12 }), play), {
    numRuns: 3,
    endOnFailure: true,
  });
});

async function play(actions: readonly (typeof action extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> {
  const coalesce = { windowSeconds: 3_600, key: "{{incident.service}}" };
  const id = await incidentWorkflow(bellhop, { coalesce });
  const fired: string[] = [];
  const matchAll = async () => {
    await bellhop.worker.tick(new Date());
    await matched(bellhop);
  };
  for (const step of actions) {
    if (step.do === "fire") {
      const made = await Promise.all(
        step.services.map((service) => createIncident(bellhop, { title: crypto.randomUUID(), service })),
      );
      fired.push(...made.map(({ title }) => title));
    }
    if (step.do === "endWindows") await endWindows(bellhop);
    if (step.do === "restart") await bellhop.restartWorker();
    if (step.do === "matchAgain") {
      await query(bellhop, "update incident_events set matched_at = null");
      await matchAll();
    }
    const open = await query(
      bellhop,
      "select max(n) n from (select count(*) n from executions where hold ->> '$.code' = 'collecting' group by workflow_id, hold ->> '$.key')",
    );
    expect(Number(open[0]?.["n"] ?? 0)).toBeLessThanOrEqual(1);
  }
  await matchAll();
  await endWindows(bellhop);
  const runs = await eventually("every run to begin", async () => {
    const found = await executionsOf(bellhop, id);
    return found.every(({ waiting }) => waiting?.code !== "collecting") && found;
  });
  const titles: string[] = [];
  for (const run of runs) {
    const { trigger } = await getExecution(bellhop, run.id);
    titles.push(...titlesIn(trigger));
  }
  expect(titles.toSorted()).toEqual(fired.toSorted());
  await call(bellhop, "POST", `/workflows/${id}/deactivate`);
}
