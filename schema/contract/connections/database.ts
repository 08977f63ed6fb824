import { z } from "zod";
import { CUT } from "../action-outputs.ts";
import type { JsonObject } from "../json.ts";
import { CODE, sqlParameters, wholeNumber } from "../action-params.ts";
import { configFields, connectionType, paramFields, secretForm } from "./descriptor.ts";
import { HOST_TARGET, PORT_TARGET, host, hostName, password, port, userName } from "./fields.ts";

/** The drivers' usual ports. */
export const DATABASE_PORTS = { postgres: 5_432, mysql: 3_306, sqlserver: 1_433, sqlite: null } as const;

const isServer = ({ driver }: Readonly<Record<string, unknown>>): boolean => driver !== "sqlite";

const fields = configFields({
  driver: {
    schema: z.enum(["postgres", "mysql", "sqlserver", "sqlite"]),
    label: "Kind",
    start: "postgres",
    choices: {
      postgres: { label: "PostgreSQL" },
      mysql: { label: "MySQL or MariaDB" },
      sqlserver: { label: "SQL Server" },
      sqlite: { label: "SQLite" },
    },
    target: {
      label: "kind of database",
      values: { postgres: "PostgreSQL", mysql: "MySQL or MariaDB", sqlserver: "SQL Server", sqlite: "SQLite" },
    },
  },
  host: {
    schema: host.optional(),
    label: "Server",
    help: "Host name or IP address, as the agent reaches it.",
    placeholder: "db-1.internal",
    when: isServer,
    target: HOST_TARGET,
  },
  port: {
    schema: port.optional(),
    label: "Port",
    help: "When empty, the usual port of this kind of database.",
    when: isServer,
    target: PORT_TARGET,
  },
  database: {
    schema: z.string().min(1).max(4_096),
    label: "Database",
    help: "Its name; for SQLite the absolute path of a file on the agent's host.",
    target: { label: "database" },
  },
  tls: {
    schema: z.enum(["verify", "require", "off"]).default("verify"),
    label: "Encryption",
    when: isServer,
    choices: {
      verify: { label: "Verify", help: "Encrypted, and the server's certificate and name are checked." },
      require: { label: "Require", help: "Encrypted, but the server's identity is not checked." },
      off: { label: "Off", help: "Nothing is encrypted: others in the network can read everything." },
    },
    target: {
      label: "encryption",
      values: { verify: "on, certificate verified", require: "on, certificate NOT verified", off: "OFF" },
    },
  },
});

export const database = connectionType({
  label: "Database",
  does: "Queries on PostgreSQL, MySQL and MariaDB, SQL Server and SQLite.",
  needs: "A server, a database, and the user and password of a database account.",
  icon: "database",
  config: {
    ...fields,
    schema: fields.schema.refine((config) => config.driver === "sqlite" || config.host !== undefined, {
      path: ["host"],
      error: "is required for every driver but sqlite",
    }),
  },
  secrets: secretForm({ username: userName, password }),
  secretsBy: { field: "driver", names: { sqlite: null } },
  needsCredential: ({ driver }) => driver !== "sqlite",
  target: ({ driver, host, port, database, tls }): JsonObject => {
    if (driver === "sqlite") return { driver, database };
    return { driver, host: hostName(host ?? ""), port: port ?? DATABASE_PORTS[driver], database, tls };
  },
  runsCode: true,
  stages: ["File", "TCP connection", "TLS", "Authentication", "SELECT 1"],
  actions: {
    "database.executeQuery": {
      label: "Execute query",
      effect: "unsafe",
      effectOf: ({ readOnly }) => (readOnly === true ? "read" : "unsafe"),
      runsCode: ({ readOnly }) => readOnly !== true,
      params: paramFields({
        // Templates and parameters become bound values: see sql-values.ts.
        query: { ...CODE, label: "Query", code: "sql" },
        parameters: {
          schema: sqlParameters.optional(),
          label: "Parameters",
          help: "The values of :name in the query. Any value is safe here. A list or an object is bound as its JSON text.",
        },
        maxRows: {
          schema: wholeNumber(1, 100_000).default(1_000),
          label: "Maximum rows",
          help: "Further rows are dropped.",
        },
        readOnly: {
          schema: z.boolean().optional(),
          label: "Read only",
          help: "The database refuses changes. A read-only query can be repeated safely.",
        },
      }),
      namedValues: "parameters",
      output: {
        rows: { type: "list", help: "the rows" },
        columns: { type: "list", help: "the columns' names", isOptional: true },
        rowCount: { type: "number", help: "the number of rows" },
        truncated: CUT.truncated,
      },
      example: { query: "select id from orders where state = :state", parameters: { state: "stuck" }, readOnly: true },
    },
  },
  example: {
    config: { host: "db-1.example.com", port: 5433, database: "orders", driver: "postgres", tls: "require" },
    secrets: [{ username: "bellhop", password: "correct horse" }],
  },
});
