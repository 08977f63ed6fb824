import { expect, test } from "bun:test";
import {
  type DatabaseChoice,
  databaseChoice,
  nameOfDatabase,
  requireAddressOfToken,
  requireSameDatabase,
} from "../../scripts/database-choice.ts";
import { databaseSettings } from "../../scripts/service/database-settings.ts";
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
  [{ DATABASE_URL: "http://localhost:8080" }, { kind: "elsewhere", url: "http://localhost:8080" }],
])("npm start with %j uses %j", (environment, choice) => {
  expect(databaseChoice(environment)).toEqual(choice);
});

test.skipIf(sqldProgram() === null)("npm start with DATABASE=sqld uses sqld", () => {
  expect(databaseChoice({ DATABASE: "sqld" })).toEqual({ kind: "sqld" });
});

test.each<[Record<string, string>, string]>([
  [
    { DATABASE: "mysql" },
    'DATABASE is "mysql"; set it to ours or sqld, or set DATABASE_URL to the address of another libSQL server.',
  ],
  [
    { DATABASE: "ours", DATABASE_URL: URL },
    "DATABASE and DATABASE_URL are both set. They name different databases: unset one of them.",
  ],
  ...["mysql://host/name", "http://db.example.com", "libsql://name:secret@host", `${URL}?authToken=secret`, "host"].map(
    (DATABASE_URL): [Record<string, string>, string] => [
      { DATABASE_URL },
      "DATABASE_URL must be an address that begins with libsql:// or https:// (http:// only for this machine), without a token in it: set DATABASE_AUTH_TOKEN.",
    ],
  ),
])("npm start with %j says what to do", (environment, message) => {
  expect(() => databaseChoice(environment)).toThrow(message);
});

test("a token without the address of its database is refused in one sentence", () => {
  const lone = () => requireAddressOfToken({ DATABASE: "sqld", DATABASE_URL: " ", DATABASE_AUTH_TOKEN: "t" });
  expect(lone).toThrow("DATABASE_AUTH_TOKEN is set without DATABASE_URL: set DATABASE_URL");
  expect(() => databaseSettings({ DATABASE_AUTH_TOKEN: "t" })).toThrow(
    "DATABASE_AUTH_TOKEN is set without DATABASE_URL",
  );
  requireAddressOfToken({ DATABASE_URL: URL, DATABASE_AUTH_TOKEN: "t" });
  requireAddressOfToken({ DATABASE_AUTH_TOKEN: "" });
});

const ELSEWHERE: DatabaseChoice = { kind: "elsewhere", url: URL };

test.each<[string, DatabaseChoice, string]>([
  [
    "ours",
    { kind: "sqld" },
    "began with Bellhop's own database, not with sqld, and data is not carried over: do ours.",
  ],
  [
    "sqld",
    { kind: "ours" },
    "began with sqld, not with Bellhop's own database, and data is not carried over: do sqld.",
  ],
  [URL, { kind: "ours" }, `began with the database at ${URL}, not with Bellhop's own database`],
  ["sqld", ELSEWHERE, `began with sqld, not with the database at ${URL}, and`],
])("a state that began with %s is refused with %j", (database, choice, part) => {
  expect(() => requireSameDatabase("/state", database, choice, (began) => `do ${began}`)).toThrow(part);
});

test.each<DatabaseChoice>([{ kind: "ours" }, { kind: "sqld" }, ELSEWHERE])("a state continues with %j", (choice) => {
  requireSameDatabase("/state", nameOfDatabase(choice), choice, String);
});
