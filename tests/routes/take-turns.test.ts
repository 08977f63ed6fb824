import { expect, test } from "bun:test";
import { takeTurns } from "../../worker/http/take-turns.ts";

test("timers fire although request follows request without a pause", async () => {
  const fired = new AbortController();
  setTimeout(() => fired.abort(), 0);
  let requests = 0;
  while (!fired.signal.aborted && requests < 1_000) {
    await takeTurns(() => Promise.resolve());
    requests += 1;
  }
  expect(requests).toBeLessThan(20);
});
