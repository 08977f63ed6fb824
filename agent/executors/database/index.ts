import { ACTIONS, type ActionParams } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS, type ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { type BoundSql, bindSqlValues, type SqlPlaceholders } from "../../../schema/contract/sql-values.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import { endpointOf } from "./endpoint.ts";
import { connectTimeoutMs, openTcp } from "../shared/tcp-session.ts";
import type { DatabaseDriver, DatabaseTarget } from "./driver.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "../executor.ts";
import { action, errorMessage, ExecutorFailure, invalidParams, parsed } from "../shared/failures.ts";

type DriverName = ConnectionConfig<"database">["driver"];

/** Each driver loads its own library on first use. */
const DRIVERS = {
  postgres: () => import("./postgres/index.ts"),
  mysql: () => import("./mysql/index.ts"),
  sqlserver: () => import("./sqlserver/index.ts"),
  sqlite: () => import("./sqlite/index.ts"),
} as const satisfies Record<DriverName, () => Promise<{ driver: DatabaseDriver }>>;

/** One SQL statement with bound values, on PostgreSQL, MySQL or MariaDB, SQL Server, or a SQLite file. */
export const executor: Executor<"database"> = {
  actions: { "database.executeQuery": action(executeQuery) },
  test,
};

async function executeQuery(context: ExecutorContext): Promise<JsonObject> {
  const started = performance.now();
  const params = parsed(ACTIONS["database.executeQuery"].params, context.params, "invalid_params");
  const config = parsed(CONNECTION_CONFIGS.database, context.connection.config, "invalid_config");
  const { driver } = await DRIVERS[config.driver]();
  const sql = bound(params, context, driver.placeholders);
  const target = targetOf(context, config, params.readOnly ?? false);
  const session = await driver.connect(target);
  // Connecting has used a part of the time.
  target.timeoutMs = Math.max(1, context.timeoutMs - (performance.now() - started));
  try {
    const { rows, columns, rowCount, truncated } = await session.query(sql, params.maxRows);
    return {
      rows,
      ...(columns === undefined || columns.length === 0 ? {} : { columns: [...columns] }),
      rowCount,
      ...(truncated ? { truncated } : {}),
    };
  } finally {
    await session.close();
  }
}

function bound(
  { query }: ActionParams<"database.executeQuery">,
  context: ExecutorContext,
  placeholders: SqlPlaceholders,
): BoundSql {
  if (query.trim() === "") throw invalidParams("The query is empty. Write a statement in query.");
  if (query.includes("\0")) throw invalidParams("The query has a NUL character, which no database accepts. Remove it.");
  try {
    return bindSqlValues(query, context.values, placeholders);
  } catch (error) {
    throw invalidParams(`The query's values cannot be bound: ${errorMessage(error)}`);
  }
}

function targetOf(context: ExecutorContext, config: ConnectionConfig<"database">, readOnly: boolean): DatabaseTarget {
  const { timeoutMs, signal, programs } = context;
  const secrets = formsOfSecrets(context.secrets ?? {});
  const login = config.driver === "sqlite" ? null : loginOf(context);
  return { config, secrets, login, timeoutMs, signal, readOnly, programs };
}

function loginOf({ secrets, connection }: ExecutorContext): { username: string; password: string } {
  const { username, password } = secrets ?? {};
  if (username !== undefined && password !== undefined) return { username, password };
  const lacking = username === undefined ? (password === undefined ? "username and password" : "username") : "password";
  const message = `Connection ${connection.id} needs a username and a password, and this agent's vault lacks its ${lacking}. Deliver both to this agent.`;
  throw new ExecutorFailure("credential_missing", message);
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const config = parsed(CONNECTION_CONFIGS.database, context.connection.config, "invalid_config");
  const stages = stagesOf(config);
  const checks: ConnectionCheck[] = [];
  const passed = (name: string, detail: string): void => void checks.push({ name, ok: true, detail });
  try {
    const { driver } = await DRIVERS[config.driver]();
    const target = await testTarget(context, config, passed);
    const session = await driver.connect(target, passed);
    try {
      await session.query({ text: "SELECT 1", parameters: [] }, 1);
      passed("SELECT 1", `${await session.version()} answered.`);
    } finally {
      await session.close();
    }
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const credential = error.code === "credential_missing";
    const name = credential ? "Authentication" : stages.find((stage) => !checks.some((check) => check.name === stage));
    checks.push({ name: name ?? "SELECT 1", ok: false, detail: error.message });
  }
  return checks;
}

function stagesOf({ driver, tls }: ConnectionConfig<"database">): string[] {
  if (driver === "sqlite") return ["File", "SELECT 1"];
  return ["TCP connection", ...(tls === "off" ? [] : ["TLS"]), "Authentication", "SELECT 1"];
}

/** Without a credential the test still reports whether the server can be reached. */
async function testTarget(
  context: ExecutorContext,
  config: ConnectionConfig<"database">,
  passed: (stage: string, detail: string) => void,
): Promise<DatabaseTarget> {
  try {
    return targetOf(context, config, true);
  } catch (error) {
    if (config.driver !== "sqlite") {
      const endpoint = endpointOf({ config, login: null });
      const { signal } = context;
      (await openTcp(endpoint, { timeoutMs: connectTimeoutMs(context), signal, passed })).destroy();
    }
    throw error;
  }
}
