import type { InstallerFacts } from "../../services/downloads/installer-facts.ts";
import { SHELL_DOWNLOAD } from "./shell-download.ts";
import { SHELL_MAIN } from "./shell-main.ts";
import { SHELL_PLATFORM } from "./shell-platform.ts";

/**
 * `/install.sh`: POSIX sh, plain ASCII. Everything stands in functions, and the last line calls one: of a script that was
 * cut on its way nothing runs.
 */
export function shellInstaller({ origin, version, sums, publicKey }: InstallerFacts): string {
  const cases = sums.map(({ target, sha256 }) => `    ${target}) sum=${quoted(sha256)} ;;\n`).join("");
  return `#!/bin/sh
# Installs the Bellhop agent on Linux:
#   curl -fsSL ${origin}/install.sh | sh
#   curl -fsSL ${origin}/install.sh | sh -s -- --version X --dir Y
# The agent's key is no option of this script: it is told to the agent alone, in its environment.

bellhop_release() {
  origin=${quoted(origin)}
  latest=${quoted(version)}
  deployment_key=${quoted(publicKey)}
}

# Sets sum to the SHA-256 of the newest release for a target; to nothing when there is none.
bellhop_sum() {
  sum=
  case "$1" in
${cases}  esac
}
${SHELL_PLATFORM}${SHELL_DOWNLOAD}${SHELL_MAIN}
{ bellhop_install "$@"; }
`;
}

/** As one word of a shell, whatever it holds. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
