import { isLoopback } from "../../../schema/contract/loopback.ts";
/** Commands to paste on a machine to install an agent (docs/install-agent.md). None contains the key. */
export interface InstallCommands {
  linux: { install: string; service: string; rekey: string; byHand: string };
  windows: { install: string; service: string; rekey: string; byHand: string };
}

/** `origin` is the deployment's URL as agents call it, without a trailing slash. */
export function installCommands(origin: string): InstallCommands {
  const linuxAgent = "/usr/local/bin/bellhop-agent";
  const windowsAgent = String.raw`& "$env:ProgramFiles\Bellhop\bellhop-agent.exe"`;
  const windowsAsk = "[Net.NetworkCredential]::new('', (Read-Host 'Agent key' -AsSecureString)).Password";
  return {
    linux: {
      install: `curl -fsSL ${origin}/install.sh | sudo sh`,
      // sudo's PATH often lacks /usr/local/bin.
      service: `sudo ${linuxAgent} service install --url ${origin}`,
      // The configuration has a key, so the agent would not ask. printf is a builtin: no process list shows the key.
      rekey: `read -rsp 'Agent key: ' KEY && echo && printf %s "$KEY" | sudo ${linuxAgent} service install --url ${origin} --key-file -; unset KEY`,
      // The braces keep the prompt from reading the next pasted line as its answer.
      byHand: [
        `curl -fsSL ${origin}/install.sh | sh && {`,
        `  export AGENT_API_URL=${origin}`,
        "  read -rsp 'Agent key: ' AGENT_API_KEY && export AGENT_API_KEY && echo",
        "  ~/.local/bin/bellhop-agent doctor && ~/.local/bin/bellhop-agent",
        "}",
      ].join("\n"),
    },
    windows: {
      install: `irm ${origin}/install.ps1 | iex`,
      service: `${windowsAgent} service install --url ${origin}`,
      rekey: `${windowsAsk} | ${windowsAgent} service install --url ${origin} --key-file -`,
      byHand: [
        "& {",
        `  irm ${origin}/install.ps1 | iex`,
        `  $env:AGENT_API_URL = '${origin}'`,
        `  $env:AGENT_API_KEY = ${windowsAsk}`,
        String.raw`  & "$env:LOCALAPPDATA\Bellhop\bellhop-agent.exe"`,
        "}",
      ].join("\n"),
    },
  };
}

/** The URL that the deployment's install script was made for, or null when the script does not name it. */
export function originOfScript(script: string): string | null {
  return /^ {2}origin='(https?:\/\/[^'\s]+)'$/mu.exec(script)?.[1] ?? null;
}

/** Why agents cannot use a URL, or null when they can. An agent sends its key only over https or to its own machine. */
export function addressProblem(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) {
    return "This URL works only on the machine that runs the service. For other machines, open the console by a URL that they can reach, or set PUBLIC_URL.";
  }
  if (protocol === "http:") {
    return "Agents refuse plain http to another machine because it would expose their key. Serve the console over https, and set PUBLIC_URL to the https URL.";
  }
  return null;
}
