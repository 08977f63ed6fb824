import { type ConnectionCases, IN_BRACKETS, type TargetCase } from "../connection-case.ts";
import { queryJob } from "../database-jobs.ts";
import { TdsServer } from "../tds-server.ts";

export const DATABASE = { host: "db.example.com", database: "shop", driver: "postgres" };

export const cases: ConnectionCases = {
  config: DATABASE,
  entry: { type: "database", driver: "postgres", host: "db.example.com", port: 5432, database: "shop", tls: "verify" },
  changes: [{ database: "Shop" }, { port: 5433 }, ...changesOf("postgres")],
  keeps: [{ host: "DB.example.com" }, { port: 5432 }, { tls: "verify" }],
  otherTargets: [
    ...["mysql", "sqlserver"].map((driver): TargetCase => ({
      config: { ...DATABASE, driver },
      changes: changesOf(driver),
    })),
    {
      config: { driver: "sqlite", host: "db.example", database: "/var/lib/shop.db" },
      changes: [{ database: "/var/lib/other.db" }, ...otherDrivers("sqlite")],
    },
  ],
  harmless: { host: [IN_BRACKETS] },
  peer: {
    missing: null,
    start: async () => {
      const server = await TdsServer.start();
      const { config = {}, secrets = null, params = {} } = queryJob("sqlserver", server, { query: "SELECT 1" });
      return {
        action: "database.executeQuery",
        job: { config, secrets, params },
        arrivals: () => server.applications.length,
        stop: () => server.stop(),
      };
    },
  },
};

function changesOf(driver: string) {
  const others = [
    { host: "other.example.com" },
    { port: 1 },
    { database: "other" },
    { tls: "require" },
    { tls: "off" },
  ];
  return [...others, ...otherDrivers(driver)];
}

function otherDrivers(driver: string) {
  const drivers = ["postgres", "mysql", "sqlserver", "sqlite"].filter((other) => other !== driver);
  return drivers.map((other) => ({ driver: other }));
}
