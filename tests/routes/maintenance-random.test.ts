import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { MaintenanceWindowView } from "../../schema/contract/maintenance.ts";
import { decidingWindow } from "../../worker/domain/maintenance.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { WINDOWS, openWindow, windowFields } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow } from "../support/management.ts";
import { call } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const SERVICES = ["a", "b", "c"] as const;
const AS = { hold: "held", ask: "asked", skip: "skipped" } as const;
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("event" as const), service: fc.constantFrom(...SERVICES) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("open" as const),
      mode: fc.constantFrom("hold" as const, "hold" as const, "ask" as const, "skip" as const),
      services: fc.subarray([...SERVICES], { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "delete" as const), which: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("run" as const, "cancel" as const), which: fc.nat(50) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "tick" as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never;

test("random events and windows: none begins while a window holds it, none is lost, and none runs twice", async () => {
  await fc.assert(fc.asyncProperty(fc.array(action, { minLength: 15, maxLength: 25 }), play), {
    numRuns: 2,
    endOnFailure: true,
  });
});

async function play(actions: readonly Action[]): Promise<void> {
  const { workflowId, ring } = await createWebhookWorkflow(bellhop, SUCCEEDS);
  const open: MaintenanceWindowView[] = [];
  const accepted: string[] = [];
  const rowOf = async (id: string) => {
    const [row] = await query(
      bellhop,
      "select status, begun_at begunAt, suppressed ->> '$.as' as kept, hold ->> '$.code' code from executions where id = ?",
      [id],
    );
    return row;
  };
  const end = async (window: MaintenanceWindowView | undefined, how: "end" | "delete") => {
    if (window === undefined) return;
    open.splice(open.indexOf(window), 1);
    const { services } = window;
    const past = windowFields({ services, endsAt: new Date().toISOString() });
    const path = `${WINDOWS}/${window.id}`;
    const answer = how === "end" ? call(bellhop, "PUT", path, past) : call(bellhop, "DELETE", path);
    expect((await answer).ok).toBe(true);
    // The service forgets its list of windows.
    await bellhop.restartWorker();
  };
  /** No execution has begun that an open window holds, or that a person must begin. */
  const check = async () => {
    const wrong = await query(
      bellhop,
      "select id from executions where hold ->> '$.code' = 'maintenance' and (begun_at is not null or status <> 'running')",
    );
    expect(wrong).toEqual([]);
    const twice = await query(
      bellhop,
      `select execution_id from execution_events where type in ('started', 'admitted')
       group by execution_id having count(*) > 1`,
    );
    expect(twice).toEqual([]);
  };

  for (const step of actions) {
    switch (step.do) {
      case "event": {
        const id = await acceptedId(await ring({ variables: { service: step.service, at: crypto.randomUUID() } }));
        accepted.push(id);
        const row = await eventually("the execution", () => rowOf(id));
        const subject = { workflowId, tags: [], services: [step.service] };
        const windows = open.map(({ startsAt, endsAt, ...window }) => ({
          ...window,
          startsAt: Date.parse(startsAt),
          endsAt: Date.parse(endsAt),
        }));
        const decides = decidingWindow(windows, subject, Date.now());
        expect(row["kept"]).toBe(decides === null ? null : AS[decides.mode]);
        break;
      }
      case "open":
        if (open.length < 4) open.push(await openWindow(bellhop, { mode: step.mode, services: step.services }));
        break;
      case "end":
      case "delete":
        await end(open[step.which % Math.max(1, open.length)], step.do);
        break;
      case "run":
      case "cancel": {
        const id = accepted[step.which % Math.max(1, accepted.length)];
        const verb = step.do === "run" ? "begin" : "cancel";
        if (id !== undefined) await (await call(bellhop, "POST", `/executions/${id}/${verb}`)).arrayBuffer();
        break;
      }
      case "restart":
        await bellhop.restartWorker();
        break;
      case "tick":
        await bellhop.worker.tick();
    }
    await check();
  }

  while (open.length > 0) await end(open[0], "end");
  await eventually("all but those that wait for a person to end", async () => {
    await bellhop.worker.tick();
    await check();
    const left = await query(
      bellhop,
      "select id from executions where status = 'running' and suppressed ->> '$.as' is not 'asked'",
    );
    return left.length === 0;
  });
  for (const id of accepted) {
    const [before, answers] = [
      await rowOf(id),
      await Promise.all([0, 1].map(() => call(bellhop, "POST", `/executions/${id}/begin`))),
    ];
    const ran =
      before?.["kept"] !== null &&
      (before?.["kept"] === "skipped" || before?.["begunAt"] !== null || before?.["status"] === "running");
    expect(answers.map(({ ok }) => ok)).toEqual([ran, ran]);
  }
  await eventually("every run to end", async () => {
    return (await query(bellhop, "select id from executions where status = 'running'")).length === 0;
  });
  await check();
  for (const id of accepted) {
    const row = await rowOf(id);
    const reruns = await query(bellhop, "select id from executions where retry_of = ?", [id]);
    expect(reruns.length).toBe(row?.["kept"] === "skipped" ? 1 : 0);
    expect(row?.["status"]).toBe(row?.["kept"] === "skipped" || row?.["begunAt"] === null ? "cancelled" : "succeeded");
  }
}
