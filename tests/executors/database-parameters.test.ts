import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import fc from "fast-check";
import type { JobResult } from "../../schema/contract/agent.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { renderParams } from "../../worker/domain/render-params.ts";
import { type QueryJob, queryJob, sqliteJob } from "../support/database-jobs.ts";
import { temporaryState } from "../support/executor-context.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";
import { mariadbMissing, MariadbServer } from "../support/mariadb.ts";
import { postgresMissing, PostgresServer } from "../support/postgres.ts";
import { runJob, type JobToRun } from "../support/run-job.ts";
import { paramProblems } from "../support/problems.ts";
import { TdsServer } from "../support/tds-server.ts";
import { notPlain } from "../support/values-in-place.ts";
import { FULL } from "../support/full.ts";

const SEED = FULL ? {} : { seed: 20_261_123 };

const missing = postgresMissing ?? mariadbMissing;
if (missing !== null) console.warn(`Tests of named parameters are skipped: ${missing}.`);

let postgres: PostgresServer;
let mariadb: MariadbServer;
let sqlserver: TdsServer;
let directory: { path: string; remove: () => Promise<void> };
const file = (): string => join(directory.path, "shop.db");

beforeAll(async () => {
  if (missing !== null) return;
  postgres = await PostgresServer.start();
  mariadb = await MariadbServer.start();
  sqlserver = await TdsServer.start();
  directory = await temporaryState();
  using database = new Database(file(), { create: true });
  database.run("CREATE TABLE thing (id INTEGER)");
});
afterAll(async () => {
  if (missing !== null) return;
  await Promise.all([postgres.stop(), mariadb.stop(), sqlserver.stop(), directory.remove()]);
  expect(sqlserver.violations).toEqual([]);
});

/** Each driver, with its way to write a parameter of unknown type. */
const DRIVERS: readonly [name: string, job: (job: QueryJob) => JobToRun, untyped: (parameter: string) => string][] = [
  ["PostgreSQL", (job) => queryJob("postgres", postgres, job), (parameter) => `${parameter}::text`],
  ["MariaDB", (job) => queryJob("mysql", mariadb, job), (parameter) => parameter],
  ["SQL Server", (job) => queryJob("sqlserver", sqlserver, job), (parameter) => parameter],
  ["SQLite", (job) => sqliteJob(file(), job), (parameter) => parameter],
];

const VALUES: readonly [name: string, value: JsonValue][] = [
  ["null", null],
  ["true", true],
  ["a small number", 5],
  ["a fraction", 0.5],
  ["the largest exact number", Number.MAX_SAFE_INTEGER],
  ["a number beyond 2^53", 2 ** 60],
  ["a number beyond 2^53 as a text", "9007199254740993"],
  ["a list", [1, "two", null]],
  ["an object", { a: { b: 'it\'s "x"' } }],
  ["half a character in a list", ["\ud83d"]],
  ["the empty text", ""],
];

describe.skipIf(missing !== null).each([...DRIVERS])("a named parameter on %s", (name, job, untyped) => {
  const run = (given: QueryJob): Promise<JobResult> => runJob(job(given));
  const select = (...parameters: string[]): string =>
    `SELECT ${parameters.map((parameter, index) => `${untyped(parameter)} AS c${index}`).join(", ")}`;

  test.each([...VALUES])("is bound as a template in place is: %s", async (_, value) => {
    const inPlace = await run({ query: select(":bellhop_value_1"), values: [value] });
    const named = await run({ query: select(":it"), parameters: { it: value } });
    expect(inPlace.status).toBe("succeeded");
    expect({ ...named.output }).toEqual({ ...inPlace.output });
  });

  test("returns hostile texts unchanged", async () => {
    for (const value of Object.values(HOSTILE_VALUES)) {
      const { output } = await run({ query: select(":it"), parameters: { it: value } });
      expect(output).toMatchObject({ rows: [{ c0: value }] });
    }
  });

  // The fake SQL Server does not parse comments.
  test.skipIf(name === "SQL Server")(
    "is bound byte for byte like a template in place, from saving to the database's answer",
    async () => {
      const own = fc.sample(notPlain, { numRuns: 40, ...SEED }).filter((value) => !value.includes("\0"));
      const pairs = [...Object.values(HOSTILE_VALUES), ...own].filter((value) => value.length < 999);
      const parameters = Object.fromEntries(pairs.map((_, index) => [`p${index}`, `{{webhook.v${index}}}`]));
      const columns = pairs.map(
        (_, index) => `${untyped(`{{webhook.v${index}}}`)} AS a${index}, ${untyped(`:p${index}`)} AS b${index}`,
      );
      const query = `/* it's "new" */ SELECT ${columns.join(", ")} -- '{{"{{"}}x}}'\n`;
      expect(paramProblems("database.executeQuery", { query, parameters })).toEqual([]);
      const rendered = renderParams(
        "database.executeQuery",
        { query, parameters },
        ([, at = ""]) => pairs[+at.slice(1)],
      );
      if (!rendered.ok) throw new Error(rendered.failure.message);
      for (const value of pairs) if (value.length > 9) expect(rendered.params["query"]).not.toContain(value);
      const { output } = await runJob({
        ...job({ query: "" }),
        params: rendered.params,
        values: { ...rendered.values },
      });
      const row = pairs.flatMap((value, index) => [
        [`a${index}`, value],
        [`b${index}`, value],
      ]);
      expect(output).toMatchObject({ rows: [Object.fromEntries(row)] });
    },
  );

  test("may occur beside templates and twice, and is distinct from names that share its beginning or differ in case", async () => {
    const query = select(":id2", ":bellhop_value_1", ":id", ":Id", ":id", ":bellhop_value_2", ":value_1", ":_");
    const parameters = { id: "id", Id: "Id", id2: "id2", value_1: "value_1", _: "_" };
    const { output, error } = await run({ query, values: ["first", "second"], parameters });
    expect(error).toBeNull();
    const expected = ["id2", "first", "id", "Id", "id", "second", "value_1", "_"];
    const rows = [Object.fromEntries(expected.map((text, index) => [`c${index}`, text]))];
    expect(output).toMatchObject({ rows });
  });

  test("may have a name of 63 characters, and there may be more than nine", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`.padEnd(63, "x"));
    const parameters = Object.fromEntries(names.map((parameter) => [parameter, parameter]));
    const { output } = await run({ query: select(...names.map((parameter) => `:${parameter}`)), parameters });
    const rows = [Object.fromEntries(names.map((parameter, index) => [`c${index}`, parameter]))];
    expect(output).toMatchObject({ rows });
  });

  test("that the job lacks prevents the statement from being sent", async () => {
    const { error } = await run({ query: select(":bellhop_parameter_gone") });
    expect(error).toMatchObject({ code: "invalid_params", message: expect.stringContaining("gone") });
    expect(name).not.toBe("");
  });
});
