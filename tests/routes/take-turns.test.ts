import { expect, test } from "bun:test";
import { takeTurns } from "../../worker/http/take-turns.ts";

const TURN = 32;

function startApp(): { get(): Promise<void>; begun(): number } {
  let begun = 0;
  const answer = () => {
    begun += 1;
    return Promise.resolve();
  };
  return { get: () => takeTurns(answer), begun: () => begun };
}

const nextTimer = () => new Promise((resolve) => setTimeout(resolve, 0));

test("timers fire although request follows request without a pause", async () => {
  const { get } = startApp();
  const fired = new AbortController();
  setTimeout(() => fired.abort(), 0);
  let requests = 0;
  while (!fired.signal.aborted && requests < 1_000) {
    await get();
    requests += 1;
  }
  expect(requests).toBeLessThanOrEqual(TURN + 1);
});

test("of many requests at once, a turn's number begins between two timers, and all are answered", async () => {
  const { get, begun } = startApp();
  const answers = Array.from({ length: 10 * TURN }, get);
  let before = 0;
  const steps: number[] = [];
  while (begun() < answers.length) {
    await nextTimer();
    steps.push(begun() - before);
    before = begun();
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(2 * TURN);
  expect(await Promise.all(answers)).toHaveLength(10 * TURN);
});

test("while many requests arrive, none of those that wait begins", async () => {
  const { get, begun } = startApp();
  const answers = Array.from({ length: 2 * TURN }, get);
  await nextTimer();
  const first = begun();
  for (let look = 0; look < 5; look += 1) {
    answers.push(...Array.from({ length: 16 }, get));
    await nextTimer();
    expect(begun()).toBe(first);
  }
  expect(await Promise.all(answers)).toHaveLength(2 * TURN + 5 * 16);
});
