import { afterAll, beforeAll, test } from "bun:test";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { createAgent } from "../support/management.ts";
import { passOn } from "../support/test-database.ts";

/** The Worker reaches libSQL through a relay, which can hold back the answers to writes. */
let bellhop: Bellhop;
let relay: ReturnType<typeof Bun.serve>;
let held: PromiseWithResolvers<void> | null = null;
let writes = 0;

beforeAll(async () => {
  relay = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: async (request) => {
      const body = await request.text();
      if (/insert into|update |delete from/iu.test(body)) {
        writes += 1;
        await held?.promise;
      }
      return passOn(bellhop.libsql, request, body);
    },
  });
  bellhop = await startBellhop({ bindings: { DATABASE_URL: `http://127.0.0.1:${relay.port}` } });
});
afterAll(async () => {
  await bellhop.stop();
  await relay.stop(true);
});

test("clients that leave while their writes run do not hold up the writes of others", async () => {
  held = Promise.withResolvers();
  writes = 0;
  const leaving = new AbortController();
  const attempts = Array.from({ length: 10 }, (_, index) =>
    fetch(`${bellhop.url}/api/v1/auth/login`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: bellhop.url },
      body: JSON.stringify({ email: `someone-${index}@example.org`, password: "not the password" }),
      signal: leaving.signal,
    }).catch(() => null),
  );
  await eventually("a write", () => writes > 0);
  leaving.abort();
  await Promise.all(attempts);
  held.resolve();
  held = null;
  // Refused when no write gets a turn within 15 s.
  await createAgent(bellhop, { name: "after the others left" });
});
