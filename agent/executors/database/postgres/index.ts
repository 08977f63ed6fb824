import type { Duplex } from "node:stream";
import { Client, type FieldDef } from "pg";
import type { BoundSql } from "../../../../schema/contract/sql-values.ts";
import { jobEnded } from "../../shared/failures.ts";
import { endpointOf } from "../endpoint.ts";
import { connectTimeoutMs, type Endpoint, withinTime } from "../../shared/tcp-session.ts";
import type { DatabaseDriver, DatabaseSession, DatabaseTarget, QueryResult } from "../driver.ts";
import { FrameGuard, POSTGRES_FRAMING } from "../frame-guard.ts";
import { rowTooLarge } from "../limits.ts";
import { type BackendKey, cancelOnServer } from "./cancel.ts";
import { loginFailure, statementFailure } from "./failures.ts";
import { openPostgres } from "./open.ts";
import { Portal } from "./portal.ts";
import { fromPostgres, toPostgres } from "./values.ts";
import { ResultRows } from "../result-rows.ts";
import { endedBy, SERVER_LIMIT_EXTRA_MS } from "../stopping.ts";

const VERSION: BoundSql = { text: "SELECT current_setting('server_version') AS version", parameters: [] };
const CANCELLED =
  "The statement was cancelled on the server, and its changes were rolled back; changes that a procedure had committed stay.";
/**
 * Sets output formats that the agent can read under any role settings, and a time limit on the server for an agent that
 * is gone.
 */
const PREPARE_SESSION = `SELECT set_config('DateStyle', 'ISO', false), set_config('bytea_output', 'hex', false),
  (SELECT set_config('statement_timeout', $1, false) FROM pg_catalog.pg_settings
    WHERE name = 'statement_timeout' AND (setting = '0' OR setting::bigint > $1::bigint))`;

/** PostgreSQL, and servers that speak its protocol. */
export const driver: DatabaseDriver = {
  placeholders: "postgres",
  async connect(target, passed): Promise<DatabaseSession> {
    const endpoint = endpointOf(target);
    const { username, password } = target.login ?? { username: "", password: "" };
    const { database } = target.config;
    const stream = await openPostgres(target, endpoint, passed);
    const tooLarge = guard(stream);
    const client = new Client({
      ...endpoint,
      user: username,
      password,
      database,
      ssl: false,
      application_name: "bellhop-agent",
      stream: () => alreadyOpen(stream),
    });
    // The pending call gets the error as well. Without a listener it would end the agent.
    client.on("error", () => undefined);
    const limit = {
      where: endpoint.where,
      timeoutMs: connectTimeoutMs(target),
      signal: target.signal,
      giveUp: () => stream.destroy(),
    };
    try {
      await withinTime(client.connect(), limit);
      passed?.("Authentication", `Logged in to ${database} as ${username}.`);
      const serverLimitMs = Math.ceil(target.timeoutMs) + SERVER_LIMIT_EXTRA_MS;
      await withinTime(client.query(PREPARE_SESSION, [String(serverLimitMs)]), limit);
      // The second statement fixes the transaction's snapshot. After that, PostgreSQL refuses to make it writable.
      if (target.readOnly) await withinTime(client.query("BEGIN READ ONLY; SELECT 1"), limit);
    } catch (error) {
      stream.destroy();
      throw loginFailure(error, { where: endpoint.where, username, database, secrets: target.secrets });
    }
    const open = { client, stream, target, endpoint, tooLarge };
    return {
      query: (sql, maxRows) => query(open, sql, maxRows),
      version: async () => {
        const { rows } = await query(open, VERSION, 1);
        return `PostgreSQL ${String(rows[0]?.["version"] ?? "")}`.trim();
      },
      close: async () => {
        const ended = client.end().catch(() => undefined);
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
        stream.destroy();
      },
    };
  },
};

interface Open {
  client: Client;
  stream: Duplex;
  target: DatabaseTarget;
  endpoint: Endpoint;
  tooLarge: () => boolean;
}

async function query(open: Open, sql: BoundSql, maxRows: number): Promise<QueryResult> {
  const { client, target, endpoint } = open;
  const result = new ResultRows(maxRows);
  let typeIds: number[] = [];
  const values = sql.parameters.map(({ value }) => toPostgres(value));
  const sink = {
    columns: (fields: readonly FieldDef[]): void => {
      result.columns = fields.map(({ name }) => name);
      typeIds = fields.map(({ dataTypeID }) => dataTypeID);
    },
    row: (texts: readonly (string | null)[]): boolean =>
      result.add(typeIds.map((typeId, index) => fromPostgres(texts[index], typeId))),
  };
  const portal = new Portal(sql.text, values, sink, { mayStop: target.readOnly });
  const running = (async (): Promise<string | null> => {
    client.query(portal);
    return await portal.done;
  })();
  const cancel = (): Promise<void> => cancelOnServer(target, endpoint, backendKey(client));
  try {
    const tag = await endedBy(target.signal, running, cancel);
    // When rows arrive in portions, the tag of a SELECT counts only the last portion.
    const counted = result.columns.length > 0 ? undefined : /(\d+)$/u.exec(tag ?? "")?.[1];
    return {
      rows: result.rows,
      columns: result.columns,
      rowCount: counted === undefined ? result.rows.length : Number(counted),
      truncated: result.truncated,
    };
  } catch (error) {
    if (open.tooLarge()) throw rowTooLarge();
    const failure = statementFailure(error, { ...target, where: endpoint.where });
    if (!target.signal.aborted || failure.code === "job_ended") throw failure;
    throw jobEnded(failure.code === "connection_lost" ? failure.message : CANCELLED);
  }
}

/** Every server sends these at login; pg's types omit them. */
function backendKey(client: Client): BackendKey {
  const read = (name: string): number => Number(Object.getOwnPropertyDescriptor(client, name)?.value ?? 0);
  return { processId: read("processID"), secretKey: read("secretKey") };
}

function guard(stream: Duplex): () => boolean {
  const frames = new FrameGuard(POSTGRES_FRAMING);
  let tooLarge = false;
  stream.on("data", (chunk: Buffer) => {
    if (tooLarge || frames.accepts(chunk)) return;
    tooLarge = true;
    stream.destroy(new Error("a message was too large"));
  });
  return () => tooLarge;
}

/** pg opens its stream itself. This one is already open, and encrypted if necessary. */
function alreadyOpen(stream: Duplex): Duplex {
  return Object.assign(stream, {
    connect: () => {
      queueMicrotask(() => stream.emit("connect"));
      return stream;
    },
  });
}
