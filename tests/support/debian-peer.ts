import { existsSync } from "node:fs";
import { FULL } from "./full.ts";

/**
 * Declares a file that tests need and the Debian package that contains it, both as literals: `scripts/install-peers.ts`
 * reads these calls and installs the package. Returns the reason to skip where the file is missing. `{ full: true }`:
 * large, and for `npm run test:full` only. Throws instead with REQUIRE_PEERS=1, so that no test is skipped unseen.
 */
export function debianPeer(file: string, name: string, when?: { full: true }): string | null {
  if (existsSync(file)) return null;
  const missing = `${name} is not installed (${file})`;
  const isExpected = when === undefined || FULL;
  if (process.env["REQUIRE_PEERS"] === "1" && isExpected) {
    throw new Error(`${missing}. REQUIRE_PEERS=1 makes that a failure: install the package, or unset the variable.`);
  }
  return missing;
}
