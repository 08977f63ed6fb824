import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { routedEndpoint } from "../../agent/executors/database/sqlserver/routing.ts";
import { queryJob } from "../support/database-jobs.ts";
import { runTest } from "../support/executor-context.ts";
import { runJob } from "../support/run-job.ts";
import { type SilentPeer, startSilentPeer } from "../support/silent-peer.ts";
import { TdsServer } from "../support/tds-server.ts";

describe("a SQL Server that routes the login elsewhere", () => {
  let server: TdsServer;
  let elsewhere: SilentPeer;
  beforeAll(async () => {
    [server, elsewhere] = [await TdsServer.start(), startSilentPeer()];
  });
  afterAll(async () => {
    elsewhere.stop();
    await server.stop();
  });
  beforeEach(() => {
    server.routeTo = { host: elsewhere.host, port: elsewhere.port };
  });

  test("to another port fails the action, without a connection there", async () => {
    const { error } = await runJob(queryJob("sqlserver", server, { query: "SELECT 1" }));
    expect(error?.code).toBe("redirect_not_followed");
    expect(error?.message).toContain(`127.0.0.1:${elsewhere.port}, but the connection's credential is not for that`);
    expect(elsewhere.connections).toBe(0);
  });

  test("fails the connection's test with the same error", async () => {
    const { config, secrets } = queryJob("sqlserver", server, { query: "" });
    const checks = await runTest("database", { config: config ?? {}, secrets: secrets ?? null });
    expect(checks.at(-1)).toMatchObject({ name: "Authentication", ok: false });
    expect(checks.at(-1)?.detail).toContain("the connection's credential is not for that address");
    expect(elsewhere.connections).toBe(0);
  });
});

describe("a routed login", () => {
  test.each([
    ["shop.database.windows.net", "tr1.westeurope1-a.worker.database.windows.net"],
    ["shop.privatelink.database.windows.net", "TR1.westeurope1-a.worker.database.windows.net"],
    ["shop.sql.azuresynapse.net", "tr9.northeurope1-a.worker.database.windows.net"],
    ["x.datawarehouse.fabric.microsoft.com", "y.pbidedicated.windows.net"],
  ])("goes from %s to %s, within Azure", (host, to) => {
    const bound = { host, port: 1_433, where: `${host}:1433` };
    expect(routedEndpoint(bound, { host: to, port: 11_000 })).toEqual({ host: to, port: 11_000, where: `${to}:11000` });
  });

  test.each([
    ["shop.database.windows.net", "evil.example"],
    ["shop.database.windows.net", "evildatabase.windows.net"],
    ["shop.database.windows.net", "database.windows.net.evil.example"],
    ["shop.database.windows.net", "10.0.0.1"],
    ["db.internal", "shop.database.windows.net"],
    ["db.internal", "db2.internal"],
  ])("does not go from %s to %s", (host, to) => {
    const bound = { host, port: 1_433, where: `${host}:1433` };
    expect(() => routedEndpoint(bound, { host: to, port: 1_433 })).toThrow("is not for that address");
  });
});
