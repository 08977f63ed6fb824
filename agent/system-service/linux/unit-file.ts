import { createHash } from "node:crypto";
import { EXIT } from "../../exit-codes.ts";
import { JOB_SLOTS, slotSocket } from "../../isolation/job-slots.ts";
import { SHUTDOWN_WAIT_MS } from "../../../schema/limits.ts";

export const UNIT = "bellhop-agent.service";
/**
 * Numbered sockets, each with one job process at a time. With one socket and Accept=yes systemd would choose the
 * instance names, which since version 258 are too long for an account name. Without a name, all instances share one
 * account.
 */
export const JOB_SOCKET_UNIT = "bellhop-job@.socket";
export const JOB_UNIT = "bellhop-job@.service";
export const JOB_SOCKETS = JOB_SLOTS.map((slot) => JOB_SOCKET_UNIT.replace("@", `@${slot}`));
/** Arguments of systemctl that match the loaded units. */
export const ALL_JOB_UNITS = [JOB_SOCKET_UNIT, JOB_UNIT].map((unit) => unit.replace("@", "@*"));
export const JOB_SOCKET_DIRECTORY = "/run/bellhop-job";
const UNIT_DIRECTORY = "/etc/systemd/system";
export const UNIT_PATH = unitPath(UNIT);
export const STATE_DIRECTORY = "/var/lib/bellhop-agent";
export const SERVICE_USER = "bellhop-agent";
/** The group of every job, through which files are opened to jobs. Its user runs jobs that may use sudo. */
export const JOB_USER = "bellhop-job";

/** In addition to the 30 s for jobs: ten to stop the remaining jobs, ten for the last results, and a margin. */
const STOP_SECONDS = SHUTDOWN_WAIT_MS / 1_000 + 45;
export const SERVICE_KEY_FILE = "/etc/bellhop/agent.key";
/**
 * Exit codes after which a restart does not help: the command line or configuration is wrong, or another process
 * registered as this agent.
 */
const NO_RESTART = [EXIT.usage, EXIT.superseded, EXIT.config].join(" ");
const SEAL = "# Checksum: ";
/** Short: a job that is asked to stop has had its time before. */
const JOB_STOP_SECONDS = 3;
const JOB_WATCHDOG_SECONDS = 10;

export interface UnitOptions {
  executable: string;
  user: string;
  envFile: string;
  allowSudo: boolean;
  /** Whether jobs control services through polkit. Then they also show journal lines after a failure. */
  allowOsServices: boolean;
  /** The directory of the vault, if it is outside the service's own. */
  stateOutside: readonly string[];
  /** Directories that jobs may write to. */
  writable: readonly string[];
}

/** All units of the agent by name (systemd.service(5), systemd.exec(5), as of systemd 240 and newer). */
export function unitFiles(options: UnitOptions): Record<string, string> {
  const agent = { [UNIT]: sealed(agentUnit(options)) };
  // Root's jobs run in the agent's unit.
  if (options.user === "root") return agent;
  return { ...agent, [JOB_SOCKET_UNIT]: sealed(socketUnit(options)), [JOB_UNIT]: sealed(jobUnit(options)) };
}

export function unitPath(unit: string): string {
  return `${UNIT_DIRECTORY}/${unit}`;
}

function agentUnit({ executable, user, envFile, allowOsServices, stateOutside }: UnitOptions): string {
  const isRoot = user === "root";
  return `[Unit]
Description=Bellhop agent: runs the actions of workflows on this machine
Documentation=man:systemd.exec(5)
Wants=network-online.target
After=network-online.target
${isRoot ? "" : `Wants=${JOB_SOCKETS.join(" ")}\nAfter=${JOB_SOCKETS.join(" ")}\n`}# No limit on restarts: the agent must come back after a deployment was away for a night.
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=${quoted(executable)} run
EnvironmentFile=${envFile}
Environment=${isRoot ? "JOB_USER=off" : `JOB_SOCKET=${JOB_SOCKET_DIRECTORY}`}
User=${user}
${allowOsServices ? "SupplementaryGroups=systemd-journal\n" : ""}StateDirectory=${STATE_DIRECTORY.slice("/var/lib/".length)}
StateDirectoryMode=0700
WorkingDirectory=${STATE_DIRECTORY}
UMask=0077
Restart=always
RestartSec=5
RestartPreventExitStatus=${NO_RESTART}
# systemd stops only the agent; the agent gives running jobs 30 s, then ends them with all their processes.
KillMode=mixed
TimeoutStopSec=${STOP_SECONDS}
# A program in this unit that uses too much memory must not end the agent: with --user root scripts run here, too.
OOMPolicy=continue
LimitNOFILE=65536
# A core dump would hold the key and the vault's secrets.
LimitCORE=0

${isRoot ? ADMINISTERING : `# Programs of jobs run in ${JOB_UNIT}, not here.\n${protection(stateOutside)}`}
[Install]
WantedBy=multi-user.target
`;
}

function socketUnit({ user }: UnitOptions): string {
  return `[Unit]
Description=Bellhop agent: the way to a job's process (%i)

[Socket]
ListenStream=${slotSocket(JOB_SOCKET_DIRECTORY, "%i")}
SocketUser=${user}
SocketMode=0600
RemoveOnStop=yes
# A job's process that cannot start must not be started again for the same connection (systemd 247 and newer).
FlushPending=yes
`;
}

function jobUnit({ executable, allowSudo, writable }: UnitOptions): string {
  return `[Unit]
Description=Bellhop agent: a job (%i)
# systemd does not restart a socket while its job runs, so the job ends with its socket.
Requires=${JOB_SOCKET_UNIT.replace("@", "@%i")}
After=${JOB_SOCKET_UNIT.replace("@", "@%i")}
# No limit on starts: the agent starts one for each job.
StartLimitIntervalSec=0

[Service]
# The agent reports how a job ends. A unit that failed would make the whole machine "degraded".
ExecStart=-${quoted(executable)} job-process
StandardInput=socket
StandardOutput=socket
StandardError=journal
WorkingDirectory=/
UMask=0077
# When a job ends, systemd ends all its processes.
KillMode=control-group
TimeoutStopSec=${JOB_STOP_SECONDS}
# systemd ends a job that stops (SIGSTOP) the process that has to end it.
WatchdogSec=${JOB_WATCHDOG_SECONDS}
WatchdogSignal=SIGKILL
# Only the script that uses too much memory ends, and its job reports it.
OOMPolicy=continue
LimitNOFILE=65536
LimitCORE=0

${allowSudo ? WITH_SUDO : `${ALONE}${protection(writable)}`}`;
}

/**
 * Whether the unit on disk is what install would write (`same`), what an earlier install wrote (`ours`), or changed by
 * hand (`changed`).
 */
export function unitState(existing: string | null, wanted: string): "absent" | "same" | "ours" | "changed" {
  if (existing === null) return "absent";
  if (existing === wanted) return "same";
  const [first = "", ...rest] = existing.split("\n");
  return first === `${SEAL}${checksum(rest.join("\n"))}` ? "ours" : "changed";
}

const ALONE = `# Each job has its own account, which exists only while the job runs. The group ${JOB_USER} opens files to all jobs.
DynamicUser=yes
# The name comes from the socket, which has one job at a time. Without a name all jobs would share one account.
User=bhjob-%i
SupplementaryGroups=${JOB_USER}
# A job could ask the machine's services for work that outlives it: \`loginctl enable-linger\` is open to every account,
# and starts a service manager of that account outside of this unit. polkit also denies it, where it reads rules (0.106
# and newer). An open bus would be useful only with dbus-broker: dbus-daemon refuses accounts of DynamicUser=
# (systemd issue 22737).
InaccessiblePaths=-/run/dbus/system_bus_socket
# /run/lock is open to every account: files that a job leaves there would hinder all later jobs.
ReadOnlyPaths=/run
`;

const WITH_SUDO = `# Jobs may use sudo, by the rules for this account. An account for each job, or protection that its programs inherit
# (NoNewPrivileges= and every setting that implies it), would prevent that.
User=${JOB_USER}
# Each job has a private /tmp, which is deleted with the job.
PrivateTmp=yes
KeyringMode=private
`;

const ADMINISTERING = `# This agent administers the machine (as root, or by sudo). The programs of its scripts would inherit most protection
# and could not do that work. NoNewPrivileges= and every setting that implies it (SystemCallFilter=,
# RestrictAddressFamilies=, ProtectKernel*= …) would stop sudo, and ProtectSystem= would stop changes by sudo.
KeyringMode=private
`;

function protection(writable: readonly string[]): string {
  const paths = writable.length === 0 ? "" : `ReadWritePaths=${writable.map((path) => quoted(`-${path}`)).join(" ")}\n`;
  return `# A drop-in can undo each line:
#   sudo, or a program that needs more rights (ping by setuid): install again with --allow-sudo
#   to write elsewhere: --writable <dir>, whose group ${JOB_USER} may write
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
# A refused call fails with an error that a script can show, not with a signal.
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
# Must stay off: the agent's runtime, and others that scripts use, compile code while they run.
MemoryDenyWriteExecute=no
# ProtectProc= and PrivateUsers= are left out: scripts look for processes of other accounts, and polkit needs the user of systemctl.
`;
}

/** A word for unit files, quoted and escaped if it has spaces, quotes, specifiers or variables. */
function quoted(word: string): string {
  const escaped = word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:@+-]+$/u.test(word) ? word : `"${escaped}"`;
}

function sealed(unit: string): string {
  const text = `# Written by bellhop-agent service install. Change it by a drop-in (systemctl edit), which stays when this file is
# written again.
${unit}`;
  return `${SEAL}${checksum(text)}\n${text}`;
}

function checksum(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
