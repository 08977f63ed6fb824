import { expect, test } from "bun:test";
import { watchKey } from "../../scripts/local/key-watch.ts";

test("a key that the service refuses is reported once, and no other answer counts as a refusal", async () => {
  let status = 409;
  const service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status }) });
  let refusals = 0;
  const watch = watchKey({ serviceUrl: service.url.origin, apiKey: "any", onRefused: () => refusals++ });
  for (status of [409, 429, 500, 503]) await watch.tick();
  expect(refusals).toBe(0);
  status = 401;
  await watch.tick();
  await watch.tick();
  expect(refusals).toBe(1);
  await service.stop(true);
});

test("an unreachable service and a stopped watch report nothing about the key", async () => {
  const service = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response("", { status: 401 }) });
  let refusals = 0;
  const options = { serviceUrl: service.url.origin, apiKey: "any", onRefused: () => refusals++ };
  const stopped = watchKey(options);
  stopped.stop();
  await stopped.tick();
  await service.stop(true);
  const watch = watchKey(options);
  await watch.tick();
  watch.stop();
  expect(refusals).toBe(0);
});
