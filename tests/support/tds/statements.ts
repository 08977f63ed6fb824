import type { ParameterValue, TdsRequest } from "./requests.ts";
import { type Column, TYPES } from "./tokens.ts";

/**
 * The output of a statement on the fake server; `signal` is aborted by an ATTENTION and when the client disconnects.
 */
export interface Output {
  columns(columns: readonly Column[]): Promise<void>;
  row(values: readonly unknown[]): Promise<void>;
  error(number: number, message: string, severity?: number): Promise<void>;
  readonly signal: AbortSignal;
}

/** The number of changed rows, for a statement without rows; and the change to commit. */
export interface StatementEnd {
  count?: number;
  writes?: string;
}

type Statement = (request: TdsRequest, output: Output) => Promise<StatementEnd>;

export const ENDLESS_QUERY = "SELECT n, pad FROM endless";
/** Runs until it is cancelled. */
export const SLOW_QUERY = "WAITFOR DELAY '01:00:00'";
const PAD = "x".repeat(200);

/** The statements of the fake server; any other one is refused as the real server refuses an unknown table. */
const STATEMENTS: [RegExp, Statement][] = [
  [/^SELECT 1$/u, async (_, output) => await rows(output, [{ name: "", type: TYPES.int }], [[1]])],
  [
    /^SELECT CONVERT\(nvarchar\(128\), SERVERPROPERTY\('ProductVersion'\)\) AS version$/u,
    async (_, output) => await rows(output, [{ name: "version", type: TYPES.nvarchar }], [["16.0.1000.6"]]),
  ],
  [/^SELECT (?:@\w+ AS \w+(?:, )?)+$/u, echo],
  [/^SELECT \* FROM every_type$/u, async (_, output) => await rows(output, EVERY_TYPE.columns, EVERY_TYPE.rows)],
  [/^SELECT n, pad FROM endless$/u, endless],
  [/^UPDATE endless SET n = 0 OUTPUT n, pad$/u, updateWithOutput],
  [
    /^SELECT value FROM huge$/u,
    async (_, output) => {
      await rows(output, [{ name: "value", type: TYPES.nvarcharMax }], [["x".repeat(12 * 1_024 * 1_024)]]);
      return {};
    },
  ],
  [
    /^UPDATE orders SET state = @\w+ WHERE id = @\w+$/u,
    ({ parameters }) => Promise.resolve({ count: 3, writes: JSON.stringify(parameters.map(({ value }) => value)) }),
  ],
  [
    /^EXEC two_results$/u,
    async (_, output) => {
      await rows(output, [{ name: "a", type: TYPES.int }], [[1], [2]]);
      await rows(output, [{ name: "b", type: TYPES.int }], [[3]]);
      return {};
    },
  ],
  [
    /^EXEC failing$/u,
    async (_, output) => {
      await output.error(50_000, "the order is closed");
      await output.error(3_609, "The transaction ended in the trigger. The batch has been aborted.");
      return {};
    },
  ],
  [
    /^DELETE FROM deadlocked$/u,
    async (_, output) => {
      await output.error(1_205, "Transaction (Process ID 52) was deadlocked on lock resources.", 13);
      return {};
    },
  ],
  [
    /^DELETE FROM replica$/u,
    async (_, output) => {
      await output.error(3_906, 'Failed to update database "shop" because the database is read-only.');
      return {};
    },
  ],
  [
    /^WAITFOR DELAY '01:00:00'$/u,
    async (_, { signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      return {};
    },
  ],
];

export function statementOf(sql: string): Statement {
  const found = STATEMENTS.find(([form]) => form.test(sql));
  return found?.[1] ?? unknown;
}

const unknown: Statement = async ({ sql }, output) => {
  const table = /\b(?:FROM|INTO|UPDATE)\s+(\w+)/iu.exec(sql)?.[1];
  if (table === undefined) await output.error(102, `Incorrect syntax near '${sql.slice(0, 20)}'.`, 15);
  else await output.error(208, `Invalid object name '${table}'.`);
  return {};
};

async function rows(
  output: Output,
  columns: readonly Column[],
  values: readonly (readonly unknown[])[],
): Promise<StatementEnd> {
  await output.columns(columns);
  for (const row of values) await output.row(row);
  return { count: values.length };
}

/** Returns each parameter, with its declared type. */
async function echo({ sql, parameters }: TdsRequest, output: Output): Promise<StatementEnd> {
  const wanted = [...sql.matchAll(/(@\w+) AS (\w+)/gu)].map(([, name, alias]) => ({ name, alias: alias ?? "" }));
  const found = wanted.map(({ name, alias }) => ({
    alias,
    parameter: parameters.find((given) => given.name === name),
  }));
  const missing = wanted.find((_, index) => found[index]?.parameter === undefined);
  if (missing !== undefined) {
    await output.error(137, `Must declare the scalar variable "${missing.name}".`, 15);
    return {};
  }
  const columns = found.flatMap(({ alias, parameter }) => [
    { name: alias, type: echoType(parameter?.value ?? null) },
    { name: `${alias}_type`, type: TYPES.nvarchar },
  ]);
  return await rows(output, columns, [found.flatMap(({ parameter }) => [parameter?.value ?? null, parameter?.type])]);
}

function echoType(value: ParameterValue) {
  if (typeof value === "boolean") return TYPES.bit;
  if (typeof value === "bigint") return TYPES.bigint;
  if (typeof value === "number") return Number.isInteger(value) ? TYPES.int : TYPES.float;
  return TYPES.nvarcharMax;
}

async function endless(_request: TdsRequest, output: Output): Promise<StatementEnd> {
  await output.columns([
    { name: "n", type: TYPES.int },
    { name: "pad", type: TYPES.nvarchar },
  ]);
  for (let n = 1; !output.signal.aborted; n += 1) await output.row([n, PAD]);
  return {};
}

/** Rows of a statement that writes: an ATTENTION in the middle rolls it back. */
async function updateWithOutput(_request: TdsRequest, output: Output): Promise<StatementEnd> {
  await output.columns([
    { name: "n", type: TYPES.int },
    { name: "pad", type: TYPES.nvarchar },
  ]);
  for (let n = 1; n <= 5_000 && !output.signal.aborted; n += 1) await output.row([n, PAD]);
  return { count: 5_000, writes: "all rows" };
}

const EVERY_TYPE: { columns: Column[]; rows: unknown[][] } = {
  columns: [
    { name: "an_int", type: TYPES.int },
    { name: "a_bigint", type: TYPES.bigint },
    { name: "a_large_bigint", type: TYPES.bigint },
    { name: "a_bit", type: TYPES.bit },
    { name: "a_float", type: TYPES.float },
    { name: "a_money", type: TYPES.money },
    { name: "a_smallmoney", type: TYPES.smallmoney },
    { name: "a_decimal", type: TYPES.decimal(38, 10) },
    { name: "a_short_decimal", type: TYPES.decimal(9, 2) },
    { name: "a_datetime", type: TYPES.datetime },
    { name: "a_datetime2", type: TYPES.datetime2 },
    { name: "a_datetimeoffset", type: TYPES.datetimeoffset },
    { name: "a_date", type: TYPES.date },
    { name: "a_time", type: TYPES.time },
    { name: "a_guid", type: TYPES.uniqueidentifier },
    { name: "a_text", type: TYPES.nvarchar },
    { name: "a_long_text", type: TYPES.nvarcharMax },
    { name: "bytes", type: TYPES.varbinary },
    { name: "", type: TYPES.int },
    { name: "an_int", type: TYPES.int },
  ],
  rows: [
    [
      -5,
      "42",
      "9223372036854775807",
      true,
      0.1,
      "-9223372036854775807",
      "-12345",
      "-12345678901234567890123456789012345678",
      "199",
      // 1 January 2026, 12:00:00.5, as days since 1900 and 300ths of a second.
      [46_021, 12 * 3_600 * 300 + 150],
      [432_001_234_567, 739_616],
      [432_001_234_567, 739_616, 120],
      739_616,
      432_001_234_567,
      "33221100554477668899aabbccddeeff",
      "Grüße 🛎️",
      "y".repeat(10_000),
      "00ff10",
      7,
      8,
    ],
    Array.from({ length: 20 }, () => null),
  ],
};
