import { existsSync } from "node:fs";

/**
 * Declares a file that tests need and the Debian package that contains it, both as literals: `scripts/install-peers.ts`
 * reads these calls and installs the package. Returns the reason to skip where the file is missing. `{ full: true }`:
 * large, and for `npm run test:full` only.
 */
export function debianPeer(file: string, name: string, _when?: { full: true }): string | null {
  return existsSync(file) ? null : `${name} is not installed (${file})`;
}
