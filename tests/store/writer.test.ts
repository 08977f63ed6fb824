import { expect, test } from "bun:test";
import { DatabaseError } from "../../worker/store/hrana.ts";
import type { SqlResult, Transaction, TransactionOutcome } from "../../worker/store/hrana.ts";
import { WriteLimiter } from "../../worker/store/write-limiter.ts";
import { Writer } from "../../worker/store/writer.ts";

const named = (name: string) => [{ sql: name, params: [] }];
const resultOf = (name: string): SqlResult => ({ columns: [name], rows: [], rowsAffected: 1 });
const nameOf = ({ statements }: Transaction) => statements[0]?.sql ?? "";

/** A writer whose database answers by the writes' names. */
function writerOn(
  answer: (name: string, request: number) => DatabaseError | null,
  limiter = new WriteLimiter({ random: () => 0 }),
) {
  const requests: string[][] = [];
  const send = async (transactions: readonly Transaction[]): Promise<TransactionOutcome[]> => {
    requests.push(transactions.map(nameOf));
    await Promise.resolve();
    return transactions.map((each) => answer(nameOf(each), requests.length) ?? [resultOf(nameOf(each))]);
  };
  return { writer: new Writer({ send, limiter, now: Date.now, keepAlive: () => undefined }), requests };
}

const busy = () => new DatabaseError("SQLITE_BUSY", "database is locked", false);

test("writes that wait at the same time are one request, in their order, and each gets its own result", async () => {
  const { writer, requests } = writerOn(() => null);
  const results = await Promise.all(["a", "b", "c"].map((name) => writer.write(named(name))));
  expect(results.map(([result]) => result?.columns)).toEqual([["a"], ["b"], ["c"]]);
  expect(requests).toEqual([["a", "b", "c"]]);
});

test("a write that conflicts fails alone", async () => {
  const conflict = new DatabaseError("SQLITE_CONSTRAINT_PRIMARYKEY", "UNIQUE constraint failed", false);
  const { writer } = writerOn((name) => (name === "b" ? conflict : null));
  const outcomes = await Promise.allSettled(["a", "b", "c"].map((name) => writer.write(named(name))));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
});

test("a write that the database had no room for keeps its place, and is tried again", async () => {
  const { writer, requests } = writerOn((name, request) => (name === "b" && request < 4 ? busy() : null));
  await Promise.all(["a", "b", "c"].map((name) => writer.write(named(name))));
  expect(requests).toEqual([["a", "b", "c"], ["b"], ["b"], ["b"]]);
});

test("a write is tried eight times", async () => {
  const { writer, requests } = writerOn(busy);
  await expect(writer.write(named("a"))).rejects.toMatchObject({ code: "SQLITE_BUSY" });
  expect(requests).toHaveLength(8);
});

test("a write that may have been committed is not repeated", async () => {
  const { writer, requests } = writerOn(() => new DatabaseError("TIMEOUT", "aborted", true));
  await expect(writer.write(named("a"))).rejects.toMatchObject({ code: "TIMEOUT" });
  expect(requests).toHaveLength(1);
});

test("a large write goes alone, and a request has at most 16 writes", async () => {
  const { writer, requests } = writerOn(() => null);
  const large = [{ sql: "large", params: ["x".repeat(600_000)] }];
  const small = Array.from({ length: 40 }, (_, n) => writer.write(named(String(n))));
  await Promise.all([...small, writer.write(large)]);
  expect(Math.max(...requests.map((request) => request.length))).toBe(16);
  expect(requests.at(-1)).toEqual(["large"]);
});

test("a write beyond the bound is refused at once, and says why", async () => {
  const limiter = new WriteLimiter();
  for (let i = 0; i < 1_000; i += 1) limiter.admit({}, Number.MAX_SAFE_INTEGER);
  const { writer } = writerOn(() => null, limiter);
  await expect(writer.write(named("a"))).rejects.toThrow("too many writes wait");
});
