import { expect, test } from "bun:test";
import { ObjectTables } from "../../../worker/actors/kit/object-tables.ts";
import { ObjectStorage } from "../../support/object-storage.ts";

const DEFINITIONS = [
  "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
  "CREATE INDEX IF NOT EXISTS notes_by_text ON notes (text)",
];

test("reading an object that was never used finds nothing and writes nothing", () => {
  const storage = new ObjectStorage();
  expect(new ObjectTables(storage, DEFINITIONS).read("SELECT * FROM notes")).toEqual([]);
  expect(storage.tables()).toEqual([]);
  expect(storage.rowWrites).toBe(0);
});

test("the first write creates the tables once, and the next load finds the rows", () => {
  const storage = new ObjectStorage();
  const tables = new ObjectTables(storage, DEFINITIONS);
  tables.write("INSERT INTO notes VALUES (?, ?)", 1, "first");
  expect(storage.rowWrites).toBe(DEFINITIONS.length + 1);
  tables.write("INSERT INTO notes VALUES (?, ?)", 2, "second");
  expect(storage.rowWrites).toBe(DEFINITIONS.length + 2);
  expect(tables.read("SELECT text FROM notes WHERE id = ?", 2)).toEqual([{ text: "second" }]);
  expect(new ObjectTables(storage, DEFINITIONS).read("SELECT count(*) AS n FROM notes")).toEqual([{ n: 2 }]);
});

test("the platform's tables do not count as the object's", () => {
  const storage = new ObjectStorage();
  storage.sql.exec("CREATE TABLE _cf_METADATA (key INTEGER PRIMARY KEY)");
  expect(new ObjectTables(storage, DEFINITIONS).read("SELECT * FROM notes")).toEqual([]);
});

test("an emptied storage has no rows, and the next write creates the tables again", async () => {
  const storage = new ObjectStorage();
  const tables = new ObjectTables(storage, DEFINITIONS);
  tables.write("INSERT INTO notes VALUES (1, 'first')");
  await storage.deleteAll();
  tables.forget();
  expect(tables.read("SELECT * FROM notes")).toEqual([]);
  tables.write("INSERT INTO notes VALUES (1, 'again')");
  expect(storage.count("notes")).toBe(1);
});
