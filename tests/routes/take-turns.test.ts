import { expect, test } from "bun:test";
import { Hono } from "hono";
import type { AppEnv } from "../../worker/http/app-types.ts";
import { takeTurns } from "../../worker/http/take-turns.ts";

test("timers fire although request follows request without a pause", async () => {
  const app = new Hono<AppEnv>();
  app.use(takeTurns);
  app.get("/", (context) => context.text("ok"));
  const fired = new AbortController();
  setTimeout(() => fired.abort(), 0);
  let requests = 0;
  while (!fired.signal.aborted && requests < 1_000) {
    await app.request("/");
    requests += 1;
  }
  expect(requests).toBeLessThan(20);
});
