import { test } from "bun:test";

/** Whether this is `npm run test:full`. */
export const FULL = process.env["BELLHOP_TEST_FULL"] === "1";

/**
 * A broad, slow test of something that rarely breaks: only `npm run test:full` runs it; elsewhere it is listed as
 * skipped.
 */
export function testInFull(name: string, run: () => Promise<void>): void {
  if (!FULL) console.log(`skipped  ${name}: in npm run test:full only`);
  test.skipIf(!FULL)(name, run);
}
