import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { DatabaseError } from "../../worker/store/hrana.ts";
import { failureMessage, isTokenRefused, isUnavailable } from "../../worker/store/errors.ts";
import { databaseProblem } from "../../worker/services/unavailable.ts";

test.each([
  ["a query that did not get through", new DrizzleQueryError("select 1", [], new Error("Network connection lost."))],
  ["a database that is busy", new DatabaseError("SQLITE_BUSY", "database is locked", false)],
])("%s is reported as the database's failure, to be retried", (_what, error) => {
  const problem = databaseProblem(error);
  expect(problem).toMatchObject({ code: "unavailable", headers: { "Retry-After": "2" } });
  expect(problem?.message).toBe("The database cannot be reached, or is busy. Try again in a moment.");
});

/** An answer without a code has its status instead. */
test.each([
  [400, false, false],
  [401, true, true],
  [403, true, true],
  [404, true, false],
  [413, false, false],
  [429, true, false],
  [500, true, false],
  [502, true, false],
])("the database's HTTP status %i: unavailable %p, the token's fault %p", (status, unavailable, refused) => {
  const error = new DrizzleQueryError("select 1", [], new DatabaseError(`HTTP_${status}`, "refused", false));
  expect([isUnavailable(error), isTokenRefused(error)]).toEqual([unavailable, refused]);
});

test.each([
  ["SQLITE_BUSY_SNAPSHOT", true],
  ["TRANSACTION_TIMEOUT", true],
  ["STREAM_EXPIRED", true],
  ["STOPPING", true],
  ["BLOCKED", true],
  ["UNAUTHORIZED", true],
  ["SQLITE_UNKNOWN", false],
  ["SQLITE_ERROR", false],
  ["SQLITE_TOOBIG", false],
  ["ARGS_INVALID", false],
  ["RESPONSE_TOO_LARGE", false],
])("the database's code %s: unavailable %p", (code, unavailable) => {
  expect(isUnavailable(new DatabaseError(code, "a message", false))).toBe(unavailable);
});

test("a failing object, for example on a full disk, is not reported as the database's failure", () => {
  const problem = databaseProblem(new Error("internal error; reference = abcdef"));
  expect(problem).toMatchObject({ code: "unavailable" });
  expect(problem?.message).toBe("A part of the service does not answer. Try again in a moment.");
});

test("an error of the program is not reported as unavailable", () => {
  expect(databaseProblem(new TypeError("x is not a function"))).toBeNull();
});

test("the log has the first cause, and only the beginning of a statement", () => {
  const sql = `select ${Array.from({ length: 50 }, (_, n) => `column_${n}`).join(", ")} from jobs`;
  const refused = new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:8080") });
  const message = failureMessage(databaseProblem(new DrizzleQueryError(sql, ["canary"], refused)));
  expect(message).toBe(`connect ECONNREFUSED 127.0.0.1:8080 (${sql.slice(0, 80)}…)`);
  expect(failureMessage(new Error("the pool took longer than 5000 ms"))).toBe("the pool took longer than 5000 ms");
  expect(failureMessage("text")).toBe("text");
});
