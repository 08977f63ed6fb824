import { existsSync } from "node:fs";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import type { ServiceCommand } from "../arguments.ts";

/** Whether systemd runs this system, as sd_booted(3) checks it. */
export function hasSystemd(): boolean {
  return existsSync("/run/systemd/system");
}

/** Throws CommandRefused for `install`. The other commands have nothing to show or remove. */
export function answerWithoutSystemd(command: ServiceCommand, say: (line: string) => void): number {
  const why = "this system is not run by systemd, so there is no service of this agent";
  switch (command.verb) {
    case "install":
      throw withoutSystemd();
    case "uninstall":
      say(`${why}: nothing was removed`);
      return EXIT.ok;
    case "status":
      say(
        command.json
          ? JSON.stringify({ installed: false })
          : `not installed: ${why}; bellhop-agent doctor checks the agent`,
      );
      return EXIT.unavailable;
  }
}

/** What to do without systemd: the agent runs under any supervisor. */
function withoutSystemd(): CommandRefused {
  const openRc = existsSync("/sbin/openrc-run");
  const hint = openRc
    ? [
        "For OpenRC put this into /etc/init.d/bellhop-agent (mode 0755), then rc-update add bellhop-agent && rc-service bellhop-agent start:",
        "  #!/sbin/openrc-run",
        "  supervisor=supervise-daemon",
        `  command=${process.execPath}`,
        '  command_args="run --env-file /etc/bellhop/agent.env"',
        "  respawn_delay=5",
      ]
    : [
        "Let your service manager, or a container, run this, and start it again after every exit code but 64, 76 and 78:",
        `  ${process.execPath} run --env-file /etc/bellhop/agent.env`,
      ];
  return new CommandRefused(
    EXIT.unavailable,
    [
      "this system is not run by systemd, so there is no unit to install.",
      ...hint,
      "The file holds AGENT_API_URL=…, AGENT_API_KEY=… and VAULT_PATH=…, one a line; it belongs to the agent's account, with mode 0600.",
      "In place of AGENT_API_KEY, AGENT_API_KEY_FILE can name the file that bellhop-agent enrol writes.",
      "Start it as root: it then runs each job as a separate account, with setpriv of util-linux (Alpine: apk add setpriv),",
      "or all jobs as the account that JOB_USER names. Under another account jobs run as this account, too, and can read the agent's",
      "key and credentials.",
    ].join("\n"),
  );
}
