import { afterAll, beforeAll, expect, test } from "bun:test";
import { begunSuppressedSchema } from "../../schema/contract/maintenance.ts";
import { triggerAnswerSchema } from "../../schema/contract/webhook.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { query } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { WINDOWS, openWindow, suppressedBy } from "../support/maintenance.ts";
import { acceptedId, createWebhookWorkflow, ended, getExecution } from "../support/management.ts";
import { DELAY_DEFINITION, call, dataOf } from "../support/management-api.ts";
import { SUCCEEDS } from "../support/schedules.ts";

let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

test("a run that a window held does not end the run of a newer event: the newest wins", async () => {
  const definition = { ...DELAY_DEFINITION, concurrency: { mode: "cancelPrevious" } };
  const { workflowId, ring } = await createWebhookWorkflow(bellhop, definition);
  const start = async () => {
    const id = await acceptedId(await ring({ variables: { at: crypto.randomUUID() } }));
    await eventually("the execution to be stored", async () => (await call(bellhop, "GET", `/executions/${id}`)).ok);
    return id;
  };
  await openWindow(bellhop, { workflowIds: [workflowId] });
  const held = await start();
  expect((await getExecution(bellhop, held)).waiting?.code).toBe("maintenance");
  await query(bellhop, "delete from maintenance_windows");
  await bellhop.restartWorker();
  const newer = await start();
  await bellhop.worker.tick();
  expect(await ended(bellhop, held)).toMatchObject({
    status: "cancelled",
    error: { code: "superseded", message: `The newer run ${newer} with the same key took its place.` },
  });
  const { status, waiting } = await getExecution(bellhop, newer);
  expect([status, waiting]).toEqual(["running", undefined]);
});

test("a window has nothing left to run of a run that a person has retried; a further retry is a further run", async () => {
  const { workflowId, ring } = await createWebhookWorkflow(bellhop, SUCCEEDS);
  const window = await openWindow(bellhop, { workflowIds: [workflowId], mode: "skip" });
  const id = await acceptedId(await ring({ variables: {} }));
  const retry = async () => {
    const answer = await call(bellhop, "POST", `/executions/${id}/retry`, { ignoreMaintenance: true });
    return (await dataOf(answer, 201, triggerAnswerSchema)).executionId;
  };
  const again = await retry();
  expect((await ended(bellhop, again)).status).toBe("succeeded");
  expect((await suppressedBy(bellhop, window)).map(({ ranAs }) => ranAs)).toEqual([again]);
  const all = await call(bellhop, "POST", `${WINDOWS}/${window.id}/begin`, {});
  expect((await dataOf(all, 200, begunSuppressedSchema)).begun).toBe(0);
  expect(
    (await dataOf(await call(bellhop, "POST", `/executions/${id}/begin`), 200, triggerAnswerSchema)).executionId,
  ).toBe(again);
  const further = await retry();
  expect(further).not.toBe(again);
  expect((await ended(bellhop, further)).status).toBe("succeeded");
});

test("a window applies to a run whose key is one of its services", async () => {
  const [named, other] = await Promise.all(
    ["Storage-DB", "web"].map((key) =>
      createWebhookWorkflow(bellhop, { ...SUCCEEDS, concurrency: { mode: "queue", key } }),
    ),
  );
  if (named === undefined || other === undefined) throw new Error("two workflows");
  const window = await openWindow(bellhop, { services: ["storage-db"] });
  const [held, ran] = [
    await acceptedId(await named.ring({ variables: {} })),
    await acceptedId(await other.ring({ variables: {} })),
  ];
  expect((await ended(bellhop, ran)).status).toBe("succeeded");
  await eventually("the run to be held", async () => (await suppressedBy(bellhop, window)).length === 1);
  expect((await suppressedBy(bellhop, window)).map(({ id, key }) => [id, key])).toEqual([[held, "Storage-DB"]]);
  await call(bellhop, "POST", `/executions/${held}/cancel`);
  const retried = await Promise.all([held, ran].map((id) => call(bellhop, "POST", `/executions/${id}/retry`, {})));
  expect(retried.map(({ status }) => status)).toEqual([409, 201]);
});
