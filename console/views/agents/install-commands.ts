import { isLoopback } from "../../../schema/contract/loopback.ts";

const LINUX_AGENT = "/usr/local/bin/bellhop-agent";
const WINDOWS_AGENT = String.raw`& "$env:ProgramFiles\Bellhop\bellhop-agent.exe"`;
const WINDOWS_ASK = "[Net.NetworkCredential]::new('', (Read-Host 'Agent key' -AsSecureString)).Password";

/** A command to paste on a machine (docs/install-agent.md). */
export interface PlatformCommands {
  linux: string;
  windows: string;
}

/**
 * Commands that install an agent and exchange the code for its key: `service` as a service, `manual` in the foreground
 * without administrator's rights. `origin` is the deployment's URL as agents call it, without a trailing slash.
 */
export function installCommands(origin: string, code: string): { service: PlatformCommands; manual: PlatformCommands } {
  const windowsInstall = `$env:BELLHOP_ENROLMENT_CODE = '${code}'; irm ${origin}/install.ps1 | iex`;
  return {
    service: {
      // sudo takes the variable over by its name, so that the code is in no process list.
      linux: `curl -fsSL ${origin}/install.sh | BELLHOP_ENROLMENT_CODE=${code} sudo --preserve-env=BELLHOP_ENROLMENT_CODE sh`,
      windows: windowsInstall,
    },
    manual: {
      linux: `curl -fsSL ${origin}/install.sh | BELLHOP_ENROLMENT_CODE=${code} sh && AGENT_API_URL=${origin} AGENT_API_KEY_FILE="\${XDG_STATE_HOME:-$HOME/.local/state}/bellhop/agent.key" ~/.local/bin/bellhop-agent`,
      windows: [
        "& {",
        `  ${windowsInstall}`,
        `  $env:AGENT_API_URL = '${origin}'`,
        String.raw`  $env:AGENT_API_KEY_FILE = "$env:LOCALAPPDATA\Bellhop\agent.key"`,
        String.raw`  & "$env:LOCALAPPDATA\Bellhop\bellhop-agent.exe"`,
        "}",
      ].join("\n"),
    },
  };
}

/** For an executable that is on the machine already. */
export function enrolCommand(origin: string, code: string): string {
  return `BELLHOP_ENROLMENT_CODE=${code} ./bellhop-agent-linux-x64 enrol --url ${origin}`;
}

/** Commands that give an installed agent a new key. They ask for the key. */
export function rekeyCommands(origin: string): PlatformCommands {
  return {
    // The configuration has a key, so the agent would not ask. printf is a builtin: no process list shows the key.
    linux: `read -rsp 'Agent key: ' KEY && echo && printf %s "$KEY" | sudo ${LINUX_AGENT} service install --url ${origin} --key-file -; unset KEY`,
    windows: `${WINDOWS_ASK} | ${WINDOWS_AGENT} service install --url ${origin} --key-file -`,
  };
}

/** Commands that print the fingerprint of an agent that is installed as a service. */
export const FINGERPRINT_COMMANDS: PlatformCommands = {
  linux: `sudo ${LINUX_AGENT} fingerprint --env-file /etc/bellhop/agent.env`,
  windows: String.raw`${WINDOWS_AGENT} fingerprint --env-file "$env:ProgramData\Bellhop\agent.env"`,
};

/** The URL that the deployment's install script was made for, or null when the script does not name it. */
export function originOfScript(script: string): string | null {
  return /^ {2}origin='(https?:\/\/[^'\s]+)'$/mu.exec(script)?.[1] ?? null;
}

/** Whether the newest release, which the install script names, has an executable for a platform. */
export function isReleasedFor(script: string, platform: keyof PlatformCommands): boolean {
  return new RegExp(`^ *${platform}-[a-z0-9-]+\\) sum=`, "mu").test(script);
}

/** How far agents can use a URL: `no` for plain http to another machine, which agents refuse. */
export function reachOf(origin: string): "everywhere" | "here" | "no" {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) return "here";
  return protocol === "http:" ? "no" : "everywhere";
}
