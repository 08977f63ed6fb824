import type { JsonObject } from "../../schema/contract/json.ts";
import { encodeSqlValue, sqlParameterPlaceholder } from "../../schema/contract/sql-values.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import type { JobToRun } from "./run-job.ts";

/** The facts about a server that jobs need. */
export interface DatabasePeer {
  host: string;
  port: number;
  database: string;
  username: string;
  password: string;
}

export interface QueryJob {
  query: string;
  /** The values of `:bellhop_value_1` and so on. */
  values?: readonly JsonValue[];
  /** Named parameters: the query has them as `:name`. */
  parameters?: Readonly<Record<string, JsonValue>>;
  maxRows?: number;
  readOnly?: boolean;
  timeoutSeconds?: number;
  config?: JsonObject;
  secrets?: Record<string, string> | null;
}

/** A job of database.executeQuery on a server; encrypted, but without verification, unless `config` says otherwise. */
export function queryJob(driver: "postgres" | "mysql" | "sqlserver", peer: DatabasePeer, job: QueryJob): JobToRun {
  const { host, port, database, username, password } = peer;
  const config = { driver, host, port, database, tls: "require", ...job.config };
  return { ...jobOf(job), config, secrets: job.secrets === undefined ? { username, password } : job.secrets };
}

export function sqliteJob(file: string, job: QueryJob): JobToRun {
  return { ...jobOf(job), config: { driver: "sqlite", database: file } };
}

function jobOf({ query, values = [], parameters = {}, maxRows, readOnly, timeoutSeconds }: QueryJob): JobToRun {
  const inPlace = values.map((value, index) => [`bellhop_value_${index + 1}`, encodeSqlValue(value)]);
  const named = Object.entries(parameters).map(([name, value]) => [name, encodeSqlValue(value)]);
  const written = Object.keys(parameters).reduce(
    (text, name) => text.replaceAll(new RegExp(`:${name}\\b`, "gu"), sqlParameterPlaceholder(name)),
    query,
  );
  return {
    type: "database",
    action: "database.executeQuery",
    params: {
      query: written,
      ...(maxRows === undefined ? {} : { maxRows }),
      ...(readOnly === undefined ? {} : { readOnly }),
    },
    values: Object.fromEntries([...inPlace, ...named]),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  };
}
