import { isLoopback } from "../../../schema/contract/loopback.ts";
/** What is pasted on a machine to get an agent there (docs/install-agent.md). The key stands in none of it. */
export interface InstallCommands {
  linux: { install: string; service: string; rekey: string; byHand: string };
  windows: { install: string; service: string; rekey: string; byHand: string };
}

/** `origin` is the deployment's address as agents call it, without a slash at the end. */
export function installCommands(origin: string): InstallCommands {
  const linuxAgent = "/usr/local/bin/bellhop-agent";
  const windowsAgent = String.raw`& "$env:ProgramFiles\Bellhop\bellhop-agent.exe"`;
  const windowsAsk = "[Net.NetworkCredential]::new('', (Read-Host 'Agent key' -AsSecureString)).Password";
  return {
    linux: {
      install: `curl -fsSL ${origin}/install.sh | sudo sh`,
      // sudo's own path often lacks /usr/local/bin.
      service: `sudo ${linuxAgent} service install --url ${origin}`,
      // Its configuration has a key already, so that it would not ask; printf is the shell's own, and no process.
      rekey: `read -rsp 'Agent key: ' KEY && echo && printf %s "$KEY" | sudo ${linuxAgent} service install --url ${origin} --key-file -; unset KEY`,
      // In braces, so that the question does not take the next pasted line for its answer.
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

/** The address that the deployment's own install script was made for; null where that does not say. */
export function originOfScript(script: string): string | null {
  return /^ {2}origin='(https?:\/\/[^'\s]+)'$/mu.exec(script)?.[1] ?? null;
}

/** What an agent would have against an address; null when nothing. It sends its key by https, or stays on its machine. */
export function addressProblem(origin: string): string | null {
  const { protocol, hostname } = new URL(origin);
  if (isLoopback(hostname)) {
    return "This address means the very machine that calls it, so these commands work only where the service runs. For other machines, open the console by an address that they can reach, or set PUBLIC_URL.";
  }
  if (protocol === "http:") {
    return "Agents refuse plain http to another machine, since their key would be readable on the way. Give the service an https address, and set PUBLIC_URL to it.";
  }
  return null;
}
