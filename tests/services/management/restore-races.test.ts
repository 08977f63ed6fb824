import "../../support/quiet-log.ts";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { restoreWorkflow } from "../../../worker/services/workflows/restore.ts";
import { openDatabase } from "../../../worker/store/database.ts";
import { startApp } from "../../support/bellhop.ts";
import type { Service } from "../../support/bellhop.ts";
import { call, createWorkflow } from "../../support/management-api.ts";
import { testDeps } from "../../support/test-deps.ts";

type Through = Parameters<typeof openDatabase>[0]["through"];

/** Restorations of one workflow whose reads and writes alternate. */
let service: Service;
beforeAll(async () => {
  service = await startApp();
});
afterAll(() => service.stop());

const remove = async (id: string) => {
  expect((await call(service, "DELETE", `/workflows/${id}`)).status).toBe(200);
};
const restore = (id: string) => restoreWorkflow(testDeps(service.libsql.url), "another", id);

/** Restores the workflow; `meanwhile` happens before the first request to the database with this text. */
function restoreWhile(id: string, text: string, meanwhile: () => Promise<unknown>) {
  const { url } = service.libsql;
  let isFirst = true;
  const through = {
    async fetch(target: string, request: RequestInit) {
      if (isFirst && String(request.body).includes(text)) {
        isFirst = false;
        await meanwhile();
      }
      return fetch(target, request);
    },
  };
  // Another form of the address: the writes of one address wait for each other.
  const db = openDatabase({ url: `${url}/`, through: through as unknown as Through });
  return restoreWorkflow({ ...testDeps(url), db }, "one", id);
}

test("a workflow that another caller restores between two reads is not unknown", async () => {
  const { id } = await createWorkflow(service);
  await remove(id);
  const one = await restoreWhile(id, "deleted_workflows", () => restore(id));
  expect(one).toEqual(await restore(id));
});

test("a restoration that was overtaken by another one and a second deletion takes the newer state", async () => {
  const { id } = await createWorkflow(service);
  await remove(id);
  let other = 0;
  const { revision } = await restoreWhile(id, "insert into", async () => {
    other = (await restore(id)).revision;
    await remove(id);
  });
  expect(revision).toBe(other + 1);
});
