import type { InstallerFacts } from "../../services/downloads/installer-facts.ts";
import { POWERSHELL_DOWNLOAD } from "./powershell-download.ts";
import { POWERSHELL_MAIN } from "./powershell-main.ts";

/**
 * `/install.ps1`: Windows PowerShell 5.1 and later, plain ASCII, since 5.1 takes what it fetches for Latin-1. Everything
 * stands in functions inside one block: of a script that was cut on its way nothing runs, and nothing stays defined in
 * the session that it was called in. It throws and never exits, which would close that session.
 */
export function powershellInstaller({ origin, version, sums, publicKey }: InstallerFacts): string {
  const entries = sums.map(({ target, sha256 }) => `    ${quoted(target)} = ${quoted(sha256)}\n`).join("");
  return `# Installs the Bellhop agent on Windows:
#   irm ${origin}/install.ps1 | iex
# Options by environment: $env:BELLHOP_VERSION, $env:BELLHOP_INSTALL_DIR, $env:BELLHOP_RELEASE_PUBLIC_KEY.
# The agent's key is no option of this script: it is told to the agent alone, in its environment.

& {
  Set-StrictMode -Version 2.0
  $ErrorActionPreference = 'Stop'
  # Its progress bar makes Windows PowerShell's downloads many times slower.
  $ProgressPreference = 'SilentlyContinue'
  $Origin = ${quoted(origin)}
  $Latest = ${quoted(version)}
  $DeploymentKey = ${quoted(publicKey)}
  $Sums = @{
${entries}  }
${POWERSHELL_DOWNLOAD}${POWERSHELL_MAIN}
  Install-BellhopAgent
}
`;
}

/** As a literal of PowerShell, which knows one escape in single quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
