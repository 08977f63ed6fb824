import "../../support/quiet-log.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { migrateDatabase } from "../../../scripts/migrate-database.ts";
import { agents, connections } from "../../../schema/tables/index.ts";
import { deleteConnection } from "../../../worker/services/connections/delete.ts";
import { setConnectionEnabled } from "../../../worker/services/connections/set-enabled.ts";
import { updateConnection } from "../../../worker/services/connections/update.ts";
import type { Deps } from "../../../worker/services/deps.ts";
import { startTestLibsql } from "../../support/libsql.ts";
import type { TestLibsql } from "../../support/libsql.ts";
import { ADMINISTRATOR, dispatcherThat, testDeps } from "../../support/test-deps.ts";

let libsql: TestLibsql;
let deps: Deps;
/** The dispatchers that were called, in order, and their behaviour. */
let called: string[] = [];
/** The connections that they were called for. */
let about: string[] = [];
let answer: () => Promise<void>;
let made = 0;

beforeAll(async () => {
  libsql = await startTestLibsql();
  await migrateDatabase({ url: libsql.server.url });
  deps = testDeps(libsql.server.url, {
    dispatcher: (poolObject) =>
      dispatcherThat({
        review: (connectionId) => {
          called.push(poolObject);
          about.push(connectionId);
          return answer();
        },
      }),
  });
  await deps.db.insert(agents).values(
    [
      { id: "agt_pooled", poolId: "db" },
      { id: "agt_alone", poolId: null },
    ].map(({ id, poolId }) => ({ id, poolId, name: id, keyPrefix: id, keyHash: "", createdAt: 0, updatedAt: 0 })),
  );
});
afterAll(() => libsql.dispose());
beforeEach(() => {
  called = [];
  about = [];
  answer = () => Promise.resolve();
});

async function newConnection(to: { poolId?: string; agentId?: string }): Promise<string> {
  made += 1;
  const id = `con_${made}`;
  await deps.db
    .insert(connections)
    .values({ id, name: id, type: "script", config: {}, createdAt: 0, updatedAt: 0, ...to });
  return id;
}

describe("the waiting jobs of a changed connection", () => {
  test.each([
    ["its pool's dispatcher", { poolId: "web" }, ["pool:web"]],
    ["the dispatcher of its agent's pool", { agentId: "agt_pooled" }, ["pool:db"]],
    ["its agent's own dispatcher", { agentId: "agt_alone" }, ["agent:agt_alone"]],
    ["no dispatcher, without agent and pool", {}, []],
  ])("are reviewed by %s", async (_which, to, expected) => {
    await setConnectionEnabled(deps, "user", await newConnection(to), false);
    expect(called).toEqual(expected);
  });

  test("are reviewed when it is deleted or moved, too", async () => {
    const id = await newConnection({ poolId: "web" });
    await updateConnection(deps, ADMINISTRATOR, id, { poolId: "db" });
    expect(called).toEqual(["pool:web"]);
    await deleteConnection(deps, "user", id);
    expect(called).toEqual(["pool:web", "pool:db"]);
    expect(about).toEqual([id, id]);
  });

  test("are not reviewed when it is unchanged", async () => {
    const id = await newConnection({ poolId: "web" });
    await setConnectionEnabled(deps, "user", id, true);
    expect(called).toEqual([]);
  });
});

test.each([
  ["fails", () => Promise.reject(new Error("the object is gone"))],
  [
    "throws",
    () => {
      throw new Error("there is no such object");
    },
  ],
  ["hangs", () => new Promise<void>(() => undefined)],
])("a dispatcher that %s does not keep a connection from being disabled", async (_how, how) => {
  answer = how;
  const id = await newConnection({ poolId: "web" });
  expect(await setConnectionEnabled(deps, "user", id, false)).toMatchObject({ id, enabled: false });
});
