import { expect, test } from "bun:test";
import { byPart } from "../../scripts/bundle-parts.ts";
import { buildWorker, bundleWorker } from "../../scripts/bundle-worker.ts";

test("the parts of the Worker's bundle are packages and folders that add up to its size", async () => {
  const { bundle, map } = await buildWorker("worker/index.ts", "external");
  const parts = byPart(await bundle.text(), (await map?.text()) ?? "");

  const bytes = parts.reduce((sum, { rawKb }) => sum + rawKb * 1_024, 0);
  expect(bytes).toBe(Buffer.byteLength(await bundleWorker()));
  const names = parts.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["zod", "drizzle-orm", "worker/services", "schema/contract"]));
  expect(new Set(names).size).toBe(names.length);
});
