import { expect, test } from "bun:test";
import {
  type DatabaseChoice,
  databaseChoice,
  nameOfDatabase,
  requireSameDatabase,
} from "../../scripts/local/database-choice.ts";
import { sqldProgram } from "../../scripts/sqld/start-sqld.ts";

const URL = "libsql://name.example.com";

test.each<[Record<string, string>, DatabaseChoice]>([
  [{}, { kind: "ours" }],
  [{ DATABASE: "", DATABASE_URL: " " }, { kind: "ours" }],
  [{ DATABASE: "ours", DATABASE_AUTH_TOKEN: "unused" }, { kind: "ours" }],
  [{ DATABASE_URL: URL }, { kind: "elsewhere", url: URL }],
  [
    { DATABASE_URL: URL, DATABASE_AUTH_TOKEN: "t" },
    { kind: "elsewhere", url: URL, token: "t" },
  ],
])("npm start with %j uses %j", (environment, choice) => {
  expect(databaseChoice(environment)).toEqual(choice);
});

test.skipIf(sqldProgram() === null)("npm start with DATABASE=sqld uses sqld", () => {
  expect(databaseChoice({ DATABASE: "sqld" })).toEqual({ kind: "sqld" });
});

test.each([
  [
    { DATABASE: "mysql" },
    'DATABASE is "mysql"; set it to ours or sqld, or set DATABASE_URL to the address of another libSQL server.',
  ],
  [
    { DATABASE: "ours", DATABASE_URL: URL },
    "DATABASE and DATABASE_URL are both set. Unset the one that does not count, and start again.",
  ],
  [
    { DATABASE_URL: "mysql://host/name" },
    "DATABASE_URL must be an address that begins with libsql://, https:// or http://.",
  ],
])("npm start with %j says what to do", (environment, message) => {
  expect(() => databaseChoice(environment)).toThrow(message);
});

const ELSEWHERE: DatabaseChoice = { kind: "elsewhere", url: `${URL}?authToken=secret` };

test.each<[string, DatabaseChoice, string]>([
  ["ours", { kind: "sqld" }, "began with Bellhop's own database, not with sqld, and data is not carried over: unset"],
  [
    "sqld",
    { kind: "ours" },
    "began with sqld, not with Bellhop's own database, and data is not carried over: set DATABASE=sqld,",
  ],
  [URL, { kind: "ours" }, `began with the database at ${URL}, not with Bellhop's own database`],
  ["sqld", ELSEWHERE, `began with sqld, not with the database at ${URL}, and`],
])("a state that began with %s is refused with %j", (database, choice, part) => {
  const start = () => requireSameDatabase("/state", { database }, choice);
  expect(start).toThrow(part);
  expect(start).toThrow("or choose another directory: BELLHOP_STATE=<directory> npm start.");
});

test("a state continues with its database, and keeps no token of its address", () => {
  expect(nameOfDatabase(ELSEWHERE)).toBe(URL);
  for (const choice of [{ kind: "ours" }, { kind: "sqld" }, ELSEWHERE] as const) {
    requireSameDatabase("/state", { database: nameOfDatabase(choice) }, choice);
  }
});
