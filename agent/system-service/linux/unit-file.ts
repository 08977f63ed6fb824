import { createHash } from "node:crypto";
import { EXIT } from "../../exit-codes.ts";
import { SHUTDOWN_WAIT_MS } from "../../../schema/limits.ts";

export const UNIT = "bellhop-agent.service";
export const UNIT_PATH = `/etc/systemd/system/${UNIT}`;
export const STATE_DIRECTORY = "/var/lib/bellhop-agent";
export const SERVICE_USER = "bellhop-agent";

/** Beside the 30 s for jobs: ten to end what does not end by itself, ten for the farewell, and some. */
const STOP_SECONDS = SHUTDOWN_WAIT_MS / 1_000 + 45;
/** A restart cannot mend these: another agent was registered, the configuration or the command line is wrong. */
const NO_RESTART = [EXIT.usage, EXIT.superseded, EXIT.config].join(" ");
const SEAL = "# Checksum: ";

export interface UnitOptions {
  executable: string;
  user: string;
  envFile: string;
  allowSudo: boolean;
  /** Whether jobs control services by polkit: they then also show journal lines after a failure. */
  allowOsServices: boolean;
  writable: readonly string[];
}

/** The systemd unit of the agent (systemd.service(5), systemd.exec(5), as of systemd 240 and newer). */
export function unitFile(options: UnitOptions): string {
  const { executable, user, envFile } = options;
  const administers = user === "root" || options.allowSudo;
  const text = `# Written by bellhop-agent service install. Change it by a drop-in (systemctl edit ${UNIT}), which stays when
# this file is written again.
[Unit]
Description=Bellhop agent: runs the actions of workflows on this machine
Documentation=man:systemd.exec(5)
Wants=network-online.target
After=network-online.target
# It tries for ever: a deployment that is away for a night is no reason to stay down.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${quoted(executable)} run
EnvironmentFile=${envFile}
User=${user}
${options.allowOsServices ? "SupplementaryGroups=systemd-journal\n" : ""}StateDirectory=${STATE_DIRECTORY.slice("/var/lib/".length)}
StateDirectoryMode=0700
WorkingDirectory=${STATE_DIRECTORY}
UMask=0077
Restart=always
RestartSec=5
RestartPreventExitStatus=${NO_RESTART}
# Only the agent is told to stop; it gives running jobs 30 s, and ends them with all that they started.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
# A script that takes too much memory must not take the agent with it.
OOMPolicy=continue
LimitNOFILE=65536
# A core dump would hold the key and the vault's secrets.
LimitCORE=0

${administers ? ADMINISTERING : protection(options.writable)}
[Install]
WantedBy=multi-user.target
`;
  return `${SEAL}${checksum(text)}\n${text}`;
}

/**
 * Whether the unit on disk is what install would write (`same`), what an earlier install wrote (`ours`), or something
 * that somebody changed (`changed`).
 */
export function unitState(existing: string | null, wanted: string): "absent" | "same" | "ours" | "changed" {
  if (existing === null) return "absent";
  if (existing === wanted) return "same";
  const [first = "", ...rest] = existing.split("\n");
  return first === `${SEAL}${checksum(rest.join("\n"))}` ? "ours" : "changed";
}

const ADMINISTERING = `# This agent is to administer the machine (root, or sudo): most protection would be inherited by what its scripts
# start, and keep them from it. NoNewPrivileges= and all that implies it (SystemCallFilter=, RestrictAddressFamilies=,
# ProtectKernel*= …) would stop sudo, and ProtectSystem= what sudo is used for.
KeyringMode=private
`;

function protection(writable: readonly string[]): string {
  const paths = writable.length === 0 ? "" : `ReadWritePaths=${writable.map((path) => quoted(`-${path}`)).join(" ")}\n`;
  return `# What the agent and its scripts cannot do. Each line may be taken back by a drop-in:
#   sudo, or a program that needs rights of its own (ping by setuid): install again with --allow-sudo
#   to write elsewhere than ${STATE_DIRECTORY} and /tmp: --writable <dir>, or ReadWritePaths=<dir>
#   to read below /home: ProtectHome=read-only         files for others: UMask=0022
#   /tmp of the machine itself: PrivateTmp=no          32-bit programs: SystemCallArchitectures=
#   containers and other namespaces: RestrictNamespaces=no, and SystemCallFilter= with @mount in addition
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
${paths}ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectHostname=yes
ProtectClock=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
SystemCallArchitectures=native
# What is refused fails with an error that a script can show, rather than by a signal.
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# Off, and it must stay so: the agent's runtime compiles code while it runs, and so do others that scripts use.
MemoryDenyWriteExecute=no
# ProtectProc= and PrivateUsers= are left out: scripts look for processes of others, and systemctl asks polkit by user.
`;
}

/** As unit files want a word that may hold spaces, quotes, specifiers or variables. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:@+-]+$/u.test(word) ? word : `"${escaped}"`;
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
