import { expect, test } from "bun:test";
import { DatabaseError } from "../../worker/store/hrana.ts";
import type { SqlResult, Transaction } from "../../worker/store/hrana.ts";
import { WriteLimiter } from "../../worker/store/write-limiter.ts";
import type { Verdict } from "../../worker/store/write-limiter.ts";
import type { Turn } from "../../worker/store/turns.ts";
import { Writer } from "../../worker/store/writer.ts";

const FAR = Number.MAX_SAFE_INTEGER;
const ROWS: SqlResult = { columns: [], rows: [], rowsAffected: 1 };

const sent = (verdict: Verdict, writes: number) => ({ verdict, writes, areCommits: true });

async function turnOf(limiter: WriteLimiter): Promise<Turn> {
  const turn = await limiter.enter(FAR);
  if (turn === null) throw new Error("no turn");
  return turn;
}

/** Sends requests with one write until this many run at once. */
async function risenTo(window: number, limiter: WriteLimiter): Promise<WriteLimiter> {
  while (limiter.window < window) limiter.leave(await turnOf(limiter), sent("accepted", 1));
  return limiter;
}

test("one request runs at first, each accepted one adds another, and the others wait in the order of arrival", async () => {
  const limiter = new WriteLimiter();
  const first = await turnOf(limiter);
  const order: string[] = [];
  const [second, third, fourth] = ["second", "third", "fourth"].map((name) =>
    turnOf(limiter).then((turn) => (order.push(name), turn)),
  );
  limiter.leave(first, sent("accepted", 1));
  await Promise.all([second, third]);
  expect(order).toEqual(["second", "third"]);
  limiter.leave(await turnIn(second), sent("accepted", 1));
  await fourth;
  expect(order).toEqual(["second", "third", "fourth"]);
});

async function turnIn(turn: Promise<Turn> | undefined): Promise<Turn> {
  if (turn === undefined) throw new Error("no turn");
  return turn;
}

test("a full database halves the number of requests at once, and answers raise it slowly then", async () => {
  let now = 0;
  const limiter = await risenTo(4, new WriteLimiter({ now: () => now, random: () => 0 }));
  const turns = await Promise.all(Array.from({ length: 4 }, () => turnOf(limiter)));
  for (const turn of turns) limiter.leave(turn, sent("full", 1));
  // The four were sent before the database was known to be full: they count once.
  expect(limiter.window).toBe(2);
  now = 1_000;
  for (let i = 0; i < 3; i += 1) limiter.leave(await turnOf(limiter), sent("accepted", 1));
  expect(limiter.window).toBe(3);
});

/** The numbers of requests at once that a limiter tries while each takes `tookMs(at once)`. */
async function windowsOn(tookMs: (atOnce: number) => number, rounds = 40): Promise<number[]> {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now, random: () => 0 });
  const windows: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const turns = await Promise.all(Array.from({ length: limiter.window }, () => turnOf(limiter)));
    windows.push(turns.length);
    now += tookMs(turns.length);
    for (const turn of turns) limiter.leave(turn, sent("accepted", 16));
    // Past any pause.
    now += 5_000;
  }
  return windows;
}

test("a database that is slower with every further writer gets few at once", async () => {
  expect(Math.max(...(await windowsOn((atOnce) => 40 * atOnce ** 2)).slice(5))).toBeLessThanOrEqual(2);
});

test("a distant database that writers do not slow down gets four at once", async () => {
  expect((await windowsOn((atOnce) => 100 + atOnce)).at(-1)).toBe(4);
});

test("a database that became slower gets more than one at once again", async () => {
  let requests = 0;
  const windows = await windowsOn(() => ((requests += 1) <= 10 ? 2 : 200), 150);
  expect(windows[12]).toBeLessThan(windows[9] ?? 0);
  expect(windows.at(-1)).toBe(4);
});

test("the only request at once pauses after a slow answer for as long as that took", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now, random: () => 0.5 });
  limiter.leave(await turnOf(limiter), sent("accepted", 1));
  for (const tookMs of [300, 300, 300]) {
    now += 1;
    const turn = await turnOf(limiter);
    now += tookMs;
    limiter.leave(turn, sent("accepted", 1));
  }
  expect(limiter.window).toBe(1);
  expect(await limiter.enter(now)).toBeNull();
  now += 300;
  expect(await limiter.enter(FAR)).not.toBeNull();
});

test("requests that change nothing, and single slow ones, do not lower the number at once", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  for (let round = 0; round < 40; round += 1) {
    for (const [tookMs, areCommits] of [
      [70, true],
      [5, false],
      [round % 2 === 0 ? 900 : 70, true],
    ] as const) {
      const turn = await turnOf(limiter);
      now += tookMs;
      limiter.leave(turn, { verdict: "accepted", writes: 1, areCommits });
      now += 1;
    }
  }
  expect(limiter.window).toBe(4);
});

test("a waiter whose request was cancelled gets no turn", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  const turn = await turnOf(limiter);
  void limiter.enter(FAR);
  now += 1_500;
  const next = turnOf(limiter);
  limiter.leave(turn, sent("accepted", 1));
  await next;
});

test("waiters keep their places while the isolate does not run", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  const turn = await turnOf(limiter);
  const order: string[] = [];
  const enter = async (name: string) => {
    const next = await turnOf(limiter);
    order.push(name);
    limiter.leave(next, sent("accepted", 1));
  };
  const waiting = [enter("first"), enter("second")];
  // The database's answer is handled before the waiters' own timers.
  now += 5_000;
  limiter.leave(turn, sent("accepted", 1));
  await Promise.all([...waiting, enter("newcomer")]);
  expect(order.toSorted()).toEqual(["first", "newcomer", "second"]);
  expect(order.indexOf("first")).toBeLessThan(order.indexOf("second"));
});

test("a turn that no one gives back expires", async () => {
  let now = 0;
  const limiter = new WriteLimiter({ now: () => now });
  await turnOf(limiter);
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
      const objects = Array.from(
        { length: 5 },
        () => new Writer({ send, limiter, now: Date.now, keepAlive: () => undefined }),
      );
      const writes = objects.flatMap((writer) => Array.from({ length: 10 }, () => writer.write([])));
      return (await Promise.all(writes)).length;
    }),
  );
  expect(written).toEqual(Array.from({ length: 20 }, () => 50));
  expect(tries).toBeLessThan(20 * 50);
});
