import { expect, test } from "bun:test";
import { DrizzleQueryError } from "drizzle-orm/errors";
import { DatabaseError } from "../../worker/store/hrana.ts";
import { failureMessage } from "../../worker/store/errors.ts";
import { databaseProblem } from "../../worker/services/unavailable.ts";

test.each([
  ["a query that did not get through", new DrizzleQueryError("select 1", [], new Error("Network connection lost."))],
  ["a database that is busy", new DatabaseError("SQLITE_BUSY", "database is locked", false)],
])("%s is reported as the database's failure, to be retried", (_what, error) => {
  const problem = databaseProblem(error);
  expect(problem).toMatchObject({ code: "unavailable", headers: { "Retry-After": "2" } });
  expect(problem?.message).toBe("The database cannot be reached. Try again in a moment.");
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
