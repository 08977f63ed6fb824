import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { bundleWorker } from "../../scripts/bundle-worker.ts";
import { ROOT } from "../../scripts/paths.ts";
import { readStack } from "../../scripts/read-stack.ts";

/** A text that occurs in only one line of the sources. */
const MARKER = '"request failed"';
const SOURCE = "worker/app.ts";

test.each([
  ["index.mjs", "worker/index.ts"],
  ["worker.js", "worker/one-machine.ts"],
] as const)("a place in %s becomes the line of %s's sources that it was built from", async (file, entry) => {
  const before = (await bundleWorker(entry)).split(MARKER)[0]?.split("\n") ?? [];
  const place = `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  const source = await readFile(join(ROOT, SOURCE), "utf8");
  const line = source.split("\n").findIndex((text) => text.includes(MARKER)) + 1;

  const read = await readStack(`Error: no\n    at aB (${file}:${place})\n    at node:internal:1:2`, entry);

  expect(read).toMatch(
    new RegExp(
      `^Error: no\\n    at aB \\(${SOURCE.replace(".", "\\.")}:${line}:\\d+\\)\\n    at node:internal:1:2$`,
      "u",
    ),
  );
});
