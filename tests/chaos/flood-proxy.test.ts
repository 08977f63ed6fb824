import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@libsql/client/http";
import type { Client } from "@libsql/client/http";
import { DatabaseProxy } from "../../chaos/flood/database-proxy.ts";
import { startLibsqlServer } from "../../scripts/libsql-server/server.ts";

let directory: string;
let server: Awaited<ReturnType<typeof startLibsqlServer>>;
let proxy: DatabaseProxy;
let client: Client;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-flood-proxy-"));
  server = await startLibsqlServer({ file: join(directory, "data.db"), synchronous: "normal" });
  proxy = await DatabaseProxy.start(server.port);
  client = createClient({ url: proxy.url });
  await client.execute("CREATE TABLE execution_events (execution_id TEXT, revision INTEGER)");
});
afterEach(async () => {
  client.close();
  await proxy.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function write(revision: number) {
  const sql = 'insert into "execution_events" ("execution_id", "revision") values (?, ?)';
  return client.batch([{ sql, args: ["exec", revision] }], "write");
}
const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : String(error));
const revisions = async () =>
  (await client.execute("SELECT revision FROM execution_events ORDER BY revision")).rows.map(
    ({ revision }) => revision,
  );

describe("a busy database", () => {
  test("refuses every third write batch with SQLITE_BUSY, and reads pass", async () => {
    proxy.fault = "busy";
    const outcomes: unknown[] = [];
    for (let revision = 1; revision <= 6; revision += 1) {
      outcomes.push(
        await write(revision).then(
          () => "written",
          (error: unknown) => codeOf(error),
        ),
      );
    }
    expect(outcomes).toEqual(["written", "written", "SQLITE_BUSY", "written", "written", "SQLITE_BUSY"]);
    expect(await revisions()).toEqual([1, 2, 4, 5]);
    expect(proxy.traffic).toMatchObject({ writeBatches: 6, busyByProxy: 2, busyByServer: 0 });
  });

  test("refuses one batch of a pipeline, and runs the batches around it", async () => {
    proxy.fault = "busy";
    const batch = (revision: number) => ({
      type: "batch",
      batch: {
        steps: [
          { stmt: { sql: "BEGIN IMMEDIATE" } },
          {
            stmt: { sql: `insert into execution_events (execution_id, revision) values ('e', ${revision})` },
            condition: { type: "ok", step: 0 },
          },
          { stmt: { sql: "COMMIT" }, condition: { type: "ok", step: 1 } },
          { stmt: { sql: "ROLLBACK" }, condition: { type: "not", cond: { type: "ok", step: 2 } } },
        ],
      },
    });
    const answer = await fetch(`${proxy.url}/v2/pipeline`, {
      method: "POST",
      body: JSON.stringify({ requests: [batch(1), batch(2), batch(3), batch(4), { type: "close" }] }),
    });
    const { results } = (await answer.json()) as {
      results: { response: { type: string; result?: { step_errors: ({ code: string } | null)[] } } }[];
    };
    const errors = results.map(({ response }) => response.result?.step_errors[0]?.code ?? response.type);
    expect(errors).toEqual(["batch", "batch", "SQLITE_BUSY", "batch", "close"]);
    expect(await revisions()).toEqual([1, 2, 4]);
  });
});

test("a database that is gone resets connections, and is the same when it is back", async () => {
  await write(1);
  proxy.fault = "gone";
  await expect(write(2)).rejects.toThrow();
  proxy.fault = "none";
  await write(3);
  expect(await revisions()).toEqual([1, 3]);
});
