import { test } from "bun:test";
import { FULL } from "./full.ts";

/**
 * A broad, slow test of something that rarely breaks: only `npm run test:full` runs it; elsewhere it is listed as
 * skipped.
 */
export function testInFull(name: string, run: () => Promise<void>, limitMs?: number): void {
  if (!FULL) console.log(`skipped  ${name}: in npm run test:full only`);
  test.skipIf(!FULL)(name, run, limitMs);
}
