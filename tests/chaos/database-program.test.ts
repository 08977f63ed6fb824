import { expect, test } from "bun:test";
import { databaseNamed } from "../../chaos/database-program.ts";

test("an unknown database server is refused with the names of the known ones", () => {
  expect(databaseNamed("ours")).toBe("ours");
  expect(() => databaseNamed("mysql")).toThrow(/^--database must be ours or sqld, not "mysql"$/u);
});
