import { expect, test } from "bun:test";
import { DatabaseError } from "../../worker/store/hrana.ts";
import type { SqlResult, Transaction } from "../../worker/store/hrana.ts";
import { WriteLimiter } from "../../worker/store/write-limiter.ts";
import type { Turn } from "../../worker/store/turns.ts";
import { Writer } from "../../worker/store/writer.ts";

const FAR = Number.MAX_SAFE_INTEGER;
const ROWS: SqlResult = { columns: [], rows: [], rowsAffected: 1 };

async function turnOf(limiter: WriteLimiter): Promise<Turn> {
  const turn = await limiter.enter(FAR);
  if (turn === null) throw new Error("no turn");
  return turn;
}

test("four requests run at once, and the next one waits for a turn to be given back", async () => {
  const limiter = new WriteLimiter();
  const [first] = await Promise.all(Array.from({ length: 4 }, () => turnOf(limiter)));
  const order: string[] = [];
  const fifth = turnOf(limiter).then((turn) => (order.push("fifth"), turn));
  const sixth = turnOf(limiter).then((turn) => (order.push("sixth"), turn));
  if (first !== undefined) limiter.leave(first, "accepted");
  limiter.leave(await fifth, "accepted");
  await sixth;
  expect(order).toEqual(["fifth", "sixth"]);
});

test("a full database halves the number of requests at once, and answers raise it slowly", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now, random: () => 0 });
  const turns = await Promise.all(Array.from({ length: 4 }, () => turnOf(limiter)));
  for (const turn of turns) limiter.leave(turn, "full");
  // The four were sent before the database was known to be full: they count once.
  expect(limiter.window).toBe(2);
  now = 1_000;
  for (let i = 0; i < 3; i += 1) limiter.leave(await turnOf(limiter), "accepted");
  expect(limiter.window).toBe(3);
});

test("a turn that no one gives back expires", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  await Promise.all(Array.from({ length: 4 }, () => turnOf(limiter)));
  expect(await limiter.enter(now)).toBeNull();
  now += 30_000;
  expect(await limiter.enter(FAR)).not.toBeNull();
});

test("a bounded number of writes waits", () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  const admit = (count: number) => Array.from({ length: count }, () => limiter.admit({}, 1_000)).filter(Boolean).length;
  expect(admit(1_100)).toBe(1_000);
  // Writes whose requests were cancelled give up, too.
  now = 1_000;
  expect(admit(1)).toBe(1);
});

test("twenty limiters find the rate of one database that refuses a ninth request, and every write gets through", async () => {
  let atOnce = 0;
  let tries = 0;
  const send = async (transactions: readonly Transaction[]) => {
    tries += 1;
    atOnce += 1;
    const isFull = atOnce > 8;
    await Bun.sleep(2);
    atOnce -= 1;
    return transactions.map(() => (isFull ? new DatabaseError("SQLITE_BUSY", "full", false) : [ROWS]));
  };
  const written = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const limiter = new WriteLimiter();
      const objects = Array.from({ length: 5 }, () => new Writer({ send, limiter, now: Date.now }));
      const writes = objects.flatMap((writer) => Array.from({ length: 10 }, () => writer.write([])));
      return (await Promise.all(writes)).length;
    }),
  );
  expect(written).toEqual(Array.from({ length: 20 }, () => 50));
  expect(tries).toBeLessThan(20 * 50);
});
