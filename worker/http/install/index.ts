import type { InstallerFacts } from "../../services/downloads/installer-facts.ts";
import powershell from "./install.ps1" with { type: "text" };
import shell from "./install.sh" with { type: "text" };

/** `/install.sh` for one deployment. */
export function shellInstaller(facts: InstallerFacts): string {
  const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return fill(shell, facts, quoted, ({ target, sha256 }) => `${target}) sum=${quoted(sha256)} ;;`);
}

/** `/install.ps1` for one deployment. */
export function powershellInstaller(facts: InstallerFacts): string {
  // PowerShell has a single escape in single quotes.
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  return fill(powershell, facts, quoted, ({ target, sha256 }) => `${quoted(target)} = ${quoted(sha256)}`);
}

/** Fills in a deployment's facts for `@NAME@` in the script: quoted as one word in code, as text in comments. */
function fill(
  script: string,
  { origin, version, sums, publicKey }: InstallerFacts,
  quoted: (text: string) => string,
  sumLine: (sum: InstallerFacts["sums"][number]) => string,
): string {
  return script
    .replaceAll("'@ORIGIN@'", () => quoted(origin))
    .replaceAll("@ORIGIN@", () => origin)
    .replace("'@VERSION@'", () => quoted(version))
    .replace("'@KEY@'", () => quoted(publicKey))
    .replace(/^( *)# @SUMS@\n/mu, (_, indent: string) => sums.map((sum) => `${indent}${sumLine(sum)}\n`).join(""));
}
