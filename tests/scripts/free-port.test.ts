import { expect, test } from "bun:test";
import { isPortFree } from "../../scripts/local/free-port.ts";

test("a port that is freed during the wait counts as free, and the wait is reported once", async () => {
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  let reports = 0;
  const onLong = () => {
    reports++;
    other.stop(true);
  };
  expect(await isPortFree(other.port, 60_000, onLong, 1)).toBe(true);
  expect(reports).toBe(1);
});

test("a port that stays taken does not count as free after the wait", async () => {
  const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  expect(await isPortFree(other.port, 0)).toBe(false);
  expect(await isPortFree(other.port, 10)).toBe(false);
  other.stop(true);
});
