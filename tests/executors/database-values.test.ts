import { describe, expect, test } from "bun:test";
import { firstWord } from "../../agent/executors/database/first-word.ts";
import {
  FrameGuard,
  MESSAGE_MAX_BYTES,
  MYSQL_FRAMING,
  POSTGRES_FRAMING,
} from "../../agent/executors/database/frame-guard.ts";
import { exactJson, exactNumber, toJsonValue } from "../../agent/executors/database/json-values.ts";
import { parseArray } from "../../agent/executors/database/postgres/arrays.ts";
import { fromPostgres } from "../../agent/executors/database/postgres/values.ts";
import { ResultRows } from "../../agent/executors/database/result-rows.ts";

describe("a number of a database", () => {
  test.each([
    ["0", 0],
    ["-17", -17],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["18446744073709551615", "18446744073709551615"],
    ["1.50", 1.5],
    ["0.1", 0.1],
    ["-0.001", -0.001],
    ["100.00", 100],
    ["1e3", 1000],
    ["0.30000000000000004", 0.30000000000000004],
    ["0.1234567890123456789", "0.1234567890123456789"],
    ["12345678901234567.5", "12345678901234567.5"],
    ["1e400", "1e400"],
    ["NaN", "NaN"],
    ["Infinity", "Infinity"],
    ["", ""],
  ] as const)("%s becomes %p", (text, value) => {
    expect(exactNumber(text)).toBe(value);
  });

  test("in JSON keeps its digits", () => {
    expect(exactJson('{"id": 12345678901234567890, "n": [1, 2.5], "t": "1"}')).toEqual({
      id: "12345678901234567890",
      n: [1, 2.5],
      t: "1",
    });
    expect(exactJson("not JSON")).toBe("not JSON");
  });
});

test("a value without a JSON form becomes text", () => {
  const values = [
    Number.NaN,
    -Infinity,
    5n,
    2n ** 63n,
    new Uint8Array([0, 255]),
    new Date(0),
    new Date("x"),
    undefined,
  ];
  expect(values.map(toJsonValue)).toEqual([
    "NaN",
    "-Infinity",
    5,
    "9223372036854775808",
    "AP8=",
    "1970-01-01T00:00:00.000Z",
    null,
    null,
  ]);
  expect(toJsonValue({ a: [1n, { b: Infinity }] })).toEqual({ a: [1, { b: "Infinity" }] });
});

describe("a value of PostgreSQL", () => {
  test.each([
    ["2026-01-31 10:00:00.123456+02", 1184, "2026-01-31T08:00:00.123456Z"],
    ["2026-01-01 00:30:00+05:45", 1184, "2025-12-31T18:45:00Z"],
    ["1890-01-01 00:00:00-00:01:15", 1184, "1890-01-01T00:01:15Z"],
    ["infinity", 1184, "infinity"],
    ["0044-03-15 12:00:00+00 BC", 1184, "0044-03-15 12:00:00+00 BC"],
    ["2026-01-31 10:00:00", 1114, "2026-01-31T10:00:00"],
    ["t", 16, true],
    ["f", 16, false],
    ["\\x00ff", 17, "AP8="],
    ["-Infinity", 701, "-Infinity"],
    ["1.7976931348623157e+308", 701, 1.7976931348623157e308],
    ["{1,NULL,3}", 1007, [1, null, 3]],
    ['{"2026-01-31 10:00:00+02"}', 1185, ["2026-01-31T08:00:00Z"]],
    ["1 day", 1186, "1 day"],
  ] as const)("%s of type %p becomes %p", (text, type, value) => {
    expect<unknown>(fromPostgres(text, type)).toEqual(value);
  });

  test("in an array is parsed with quotes, NULLs and nesting", () => {
    const text = (item: string): string => item;
    expect(parseArray('{a,"b \\"c\\" \\\\","",NULL,"NULL","{,}"}', text)).toEqual([
      "a",
      'b "c" \\',
      "",
      null,
      "NULL",
      "{,}",
    ]);
    expect(parseArray("{{1,2},{3,NULL}}", Number)).toEqual([
      [1, 2],
      [3, null],
    ]);
    expect(parseArray("{}", text)).toEqual([]);
    for (const other of ["[2:3]={1,2}", "{1,2", '{"a', "{1}x", "{{1}", ""]) expect(parseArray(other, text)).toBe(other);
  });
});

describe("a result", () => {
  test("renames duplicate columns, and a column named __proto__", () => {
    const result = new ResultRows(10);
    result.columns = ["id", "id", "id_2", "__proto__"];
    result.add([1, 2, 3, 4]);
    expect(JSON.stringify(result.rows)).toBe('[{"id":1,"id_2":2,"id_2_2":3,"__proto___2":4}]');
  });

  test("takes the requested number of rows, and knows whether there were more", () => {
    const result = new ResultRows(2);
    result.columns = ["n"];
    expect([result.add([1]), result.add([2]), result.truncated]).toEqual([true, true, false]);
    expect([result.add([3]), result.truncated, result.rows.length]).toEqual([false, true, 2]);
  });

  test("takes no more bytes than its limit, and no small row after a large one", () => {
    const result = new ResultRows(100, 50);
    result.columns = ["t"];
    expect([result.add(["x"]), result.add(["y".repeat(60)]), result.add(["z"])]).toEqual([true, false, false]);
    expect(result.rows).toEqual([{ t: "x" }]);
  });
});

describe("the guard against messages that are too large", () => {
  const postgres = (bytes: number): Buffer => {
    const message = Buffer.alloc(bytes + 5);
    message.writeUInt32BE(bytes + 4, 1);
    return message;
  };
  const mysql = (bytes: number): Buffer => {
    const message = Buffer.alloc(bytes + 4);
    message.writeUIntLE(bytes, 0, 3);
    return message;
  };

  test.each([
    ["PostgreSQL", POSTGRES_FRAMING, postgres],
    ["MySQL", MYSQL_FRAMING, mysql],
  ] as const)("of %s recognizes messages in any chunks", (_name, framing, message) => {
    const bytes = Buffer.concat([message(0), message(3), message(70_000), message(1)]);
    for (const size of [1, 2, 7, 1_000, bytes.length]) {
      const guard = new FrameGuard(framing);
      for (let at = 0; at < bytes.length; at += size) expect(guard.accepts(bytes.subarray(at, at + size))).toBe(true);
      expect(guard.accepts(message(MESSAGE_MAX_BYTES).subarray(0, 20))).toBe(false);
    }
  });

  test("refuses an impossible length", () => {
    const guard = new FrameGuard(POSTGRES_FRAMING);
    expect(guard.accepts(Buffer.from([0x44, 0, 0, 0, 3]))).toBe(false);
  });
});

describe("the first word of a statement", () => {
  test.each([
    ["SELECT 1", "SELECT"],
    ["  -- a\n/* b */ # c\n ((select 1))", "SELECT"],
    ["/*!50000 CALL */ p()", ""],
    ["/*M! CALL */ p()", ""],
    ["", ""],
    ["-- only", ""],
  ])("of %p is %p to MySQL", (sql, word) => {
    expect(firstWord(sql, { executableComments: true })).toBe(word);
  });

  test("comes after every comment for other databases", () => {
    expect(firstWord("/*! x */ attach 'a' as b", { executableComments: false })).toBe("ATTACH");
  });
});
