import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { JobResult } from "../../schema/contract/agent.ts";
import { type QueryJob, queryJob } from "../support/database-jobs.ts";
import { eventually } from "../support/eventually.ts";
import { mariadbMissing, MariadbServer } from "../support/mariadb.ts";
import { postgresMissing, PostgresServer } from "../support/postgres.ts";
import { type BegunJob, beginJob, runUntilTimeOut } from "../support/run-job.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";

for (const missing of [postgresMissing, mariadbMissing]) {
  if (missing !== null) console.warn(`Tests of ending statements are skipped: ${missing}.`);
}

const STATEMENT = "INSERT INTO thing SELECT";
const PEERS = [
  {
    name: "PostgreSQL",
    driver: "postgres",
    missing: postgresMissing,
    start: () => PostgresServer.start(),
    slowInsert: "INSERT INTO thing SELECT 1 FROM pg_sleep(60)",
    procedure: {
      create:
        "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN INSERT INTO thing VALUES (1); COMMIT; PERFORM pg_sleep(60); INSERT INTO thing VALUES (2); END $$",
      running: "CALL p()",
    },
  },
  {
    name: "MariaDB",
    driver: "mysql",
    missing: mariadbMissing,
    start: () => MariadbServer.start(),
    slowInsert: "INSERT INTO thing SELECT SLEEP(60)",
    procedure: {
      create:
        "CREATE PROCEDURE p() SQL SECURITY INVOKER BEGIN INSERT INTO thing VALUES (1); DO SLEEP(60); INSERT INTO thing VALUES (2); END",
      running: "DO SLEEP(60)",
    },
  },
] as const;

for (const { name, driver, missing, start, slowInsert, procedure } of PEERS) {
  describe.skipIf(missing !== null)(`a statement on ${name} that is ended before it is done`, () => {
    let server: PostgresServer | MariadbServer;
    let relay: TcpRelay;
    beforeAll(async () => {
      server = await start();
      await server.sql("CREATE TABLE thing (id int)");
      if (driver === "postgres") await server.sql(`GRANT ALL ON thing TO ${server.username}`);
    });
    beforeEach(async () => {
      relay = await startTcpRelay(server.port);
    });
    afterEach(async () => {
      await relay.close();
      await eventually("the statement to end", async () => (await running()) === 0);
      await server.sql("TRUNCATE thing");
    });
    afterAll(() => server.stop());

    const running = (): Promise<number> => server.running(STATEMENT);
    const rows = (): Promise<string> => server.sql("SELECT count(*) FROM thing");
    const insert = (job: Partial<QueryJob> = {}) =>
      queryJob(driver, server, { query: slowInsert, config: { port: relay.port, host: "127.0.0.1" }, ...job });

    async function begin(): Promise<BegunJob> {
      const job = await beginJob(insert());
      await eventually("the statement to run", async () => (await running()) === 1);
      return job;
    }

    test("by its time-out is cancelled on the server and rolled back", async () => {
      const result = await runUntilTimeOut(insert(), "the statement to run", async () => (await running()) === 1);
      expect(await running()).toBe(0);
      expect(await rows()).toBe("0");
      expect(result).toMatchObject({ status: "timed_out", error: { code: "timed_out" } });
      expect(result.error?.message).toContain("cancelled on the server");
    });

    test("by a cancel is cancelled on the server and rolled back", async () => {
      const job = await begin();
      job.cancel();
      const result = await job.result;
      expect(await running()).toBe(0);
      expect(await rows()).toBe("0");
      expect(result).toMatchObject({ status: "cancelled", error: { code: "cancelled" } });
      expect(result.error?.message).toContain("cancelled on the server");
    });

    test("in a procedure that commits in between stops there, and the error says that commits stay", async () => {
      await server.sql(procedure.create);
      const job = await beginJob(insert({ query: "CALL p()" }));
      await eventually("the procedure to run", async () => (await server.running(procedure.running)) === 1);
      job.cancel();
      const { status, error } = await job.result;
      expect(status).toBe("cancelled");
      expect(error?.message).toContain("changes that a procedure had committed stay");
      await eventually("the procedure to end", async () => (await server.running(procedure.running)) === 0);
      expect(await server.sql("SELECT id FROM thing")).toBe("1");
    });

    test("is cancelled on the server even when its own connection no longer answers", async () => {
      const job = await begin();
      relay.freeze();
      job.cancel();
      const { error } = await job.result;
      expect(await running()).toBe(0);
      expect(error?.message).toContain("did not confirm it");
    });

    test("is reported as possibly running when the server is unreachable", async () => {
      const job = await begin();
      relay.freeze();
      relay.refuse();
      job.cancel();
      const { status, error } = await job.result;
      expect(await running()).toBe(1);
      expect(status).toBe("cancelled");
      expect(error?.message).toContain("may still run there");
      await server.endSessions(STATEMENT);
    });

    test("by a lost connection is reported as possibly carried out", async () => {
      const job = await begin();
      relay.breakOff();
      const { status, error } = await job.result;
      expect(status).toBe("failed");
      expect(error).toMatchObject({ code: "connection_lost" });
      expect(error?.message).toContain("not known whether the statement was carried out");
      await server.endSessions(STATEMENT);
    });

    test("by its server is reported as possibly carried out", async () => {
      const job = await begin();
      await server.endSessions(STATEMENT);
      const { status, error } = await job.result;
      expect(status).toBe("failed");
      expect(error).toMatchObject({ code: "connection_lost" });
      expect(error?.message).toContain("not known whether the statement was carried out");
    });

    test("is never sent to a silent server", async () => {
      const silent = createServer(() => undefined);
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const address = silent.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      for (const tls of ["require", "off"]) {
        const job = await beginJob(insert({ config: { port, host: "127.0.0.1", tls } }));
        job.cancel();
        const { status, error } = await job.result;
        expect(status).toBe("cancelled");
        expect(error?.message).not.toContain("on the server");
      }
      silent.close();
    });
  });
}

describe.skipIf(mariadbMissing !== null)("a procedure of another account on MariaDB", () => {
  let server: MariadbServer;
  beforeAll(async () => {
    server = await MariadbServer.start();
    await server.sql("CREATE TABLE thing (id int)");
    await server.sql("CREATE PROCEDURE p() BEGIN DO SLEEP(60); INSERT INTO thing VALUES (1); END");
  });
  afterAll(() => server.stop());

  const callUntilTimeOut = (): Promise<JobResult> =>
    runUntilTimeOut(
      queryJob("mysql", server, { query: "CALL p()" }),
      "the procedure to wait",
      async () => (await server.running("SLEEP")) === 1,
    );

  test("keeps running when the server refuses to cancel it, and the error names the missing grant", async () => {
    const { status, error } = await callUntilTimeOut();
    expect(status).toBe("timed_out");
    expect(error?.message).toContain("refused to cancel: You are not owner of thread");
    expect(error?.message).toContain("grant CONNECTION ADMIN to");
    expect(await server.running("SLEEP")).toBe(1);
    await server.endSessions("SLEEP");
  });

  test("is ended once CONNECTION ADMIN is granted", async () => {
    await server.sql(`GRANT CONNECTION ADMIN ON *.* TO '${server.username}'@'127.0.0.1'`);
    const { error } = await callUntilTimeOut();
    expect(error?.message).toContain("cancelled on the server");
    await eventually("the procedure to end", async () => (await server.running("SLEEP")) === 0);
    expect(await server.sql("SELECT count(*) FROM thing")).toBe("0");
  });
});
