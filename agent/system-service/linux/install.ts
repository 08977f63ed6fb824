import { existsSync } from "node:fs";
import { chmod, mkdir, readlink, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hostname } from "node:os";
import { serviceEnvFile } from "../../commands/environment.ts";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { askForKey, keyFromFile } from "../api-key.ts";
import type { InstallOptions } from "../arguments.ts";
import { lineDiff } from "../line-diff.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { enrolled, gatherSettings } from "../settings.ts";
import { copyExecutable, serviceExecutable } from "./executable.ts";
import { applyPolkit, polkitRules } from "./polkit.ts";
import { describePlan, MISSING } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { parseAllowedUnits } from "./polkit-rule.ts";
import {
  ALL_JOB_UNITS,
  JOB_SOCKET_UNIT,
  JOB_UNIT,
  JOB_USER,
  SERVICE_KEY_FILE,
  SERVICE_USER,
  STATE_DIRECTORY,
  UNIT,
  unitFiles,
  unitPath,
  unitState,
} from "./unit-file.ts";
import { readUnitStatus } from "./unit-status.ts";
import { createServiceUser, parseUser, userExists } from "./user.ts";
import { waitUntilRegistered } from "./wait.ts";
import { howToOpenToJobs, refuseWritable } from "./writable.ts";
import { textOf, writeAndSay } from "./write-file.ts";

type Say = (line: string) => void;

/** `bellhop-agent service install` with systemd. Repeated, it changes only what differs. Throws CommandRefused. */
export async function installOnSystemd(options: InstallOptions, say: Say): Promise<number> {
  if (!options.dryRun && process.getuid?.() !== 0) {
    throw new CommandRefused(
      EXIT.notAllowed,
      "only root can install a service: run it with sudo; --dry-run shows what it would write",
    );
  }
  const plan = await makePlan(options);
  if (options.dryRun) {
    describePlan(plan, say);
    sayWhatToOpen(options, plan, say);
    return EXIT.ok;
  }
  if (!options.force) refuseChangedUnits(plan.units);
  const changed = await carryOut(plan, say);
  sayWhatToOpen(options, plan, say);
  await mustRun("systemctl", ["enable", "--quiet", UNIT], "enabling the service");
  const before = await readUnitStatus();
  const isUp = before?.active === "active" && (await runs(before.mainPid, plan.executable.path));
  if (isUp && !changed) say(`${UNIT} runs already, and nothing has changed`);
  else {
    // If the service cannot start, the wait below says more about it than systemctl does.
    const { code } = await runProgram("systemctl", ["restart", UNIT]);
    say(`${UNIT} is enabled and ${code === 0 ? "started" : "could not be started"}`);
  }
  if (!options.wait) return EXIT.ok;
  return waitUntilRegistered(plan.settings.config.vaultPath, say);
}

/** Root's jobs can enter every directory. */
function sayWhatToOpen({ writable }: InstallOptions, { user }: Plan, say: Say): void {
  if (user === "root") return;
  for (const path of writable) for (const line of howToOpenToJobs(path)) say(line);
}

function refuseChangedUnits(units: Plan["units"]): void {
  const refusals = Object.entries(units).flatMap(([name, wanted]) => {
    const existing = textOf(unitPath(name));
    if (unitState(existing, wanted) !== "changed") return [];
    return [
      `${unitPath(name)} was changed by hand; nothing was written. These lines differ (- now, + after install):`,
      ...lineDiff(existing ?? "", wanted).map((line) => `  ${line}`),
      `Keep your changes as a drop-in (systemctl edit ${name}), and repeat this with --force, which replaces the file.`,
    ];
  });
  if (refusals.length > 0) throw new CommandRefused(EXIT.failed, refusals.join("\n"));
}

async function makePlan(options: InstallOptions): Promise<Plan> {
  const user = options.user === null ? SERVICE_USER : parseUser(options.user);
  const known = await userExists(user);
  if (!known && user !== SERVICE_USER) {
    throw new CommandRefused(
      EXIT.usage,
      `there is no user ${user}: create it first, or leave --user out to have ${SERVICE_USER} made`,
    );
  }
  const key: Record<string, string> =
    options.keyFile === null ? {} : { AGENT_API_KEY: await keyFromFile(options.keyFile) };
  const settings = await gatherSettings({
    path: serviceEnvFile(),
    env: process.env,
    given: { ...(options.url === null ? {} : { AGENT_API_URL: options.url }), ...key },
    defaults: {
      VAULT_PATH: `${STATE_DIRECTORY}/vault.json`,
      ...(options.dryRun ? { AGENT_API_URL: MISSING.url } : {}),
    },
    host: {
      hostName: hostname(),
      platform: process.platform,
      homeDirectory: STATE_DIRECTORY,
      workingDirectory: STATE_DIRECTORY,
    },
    keyFile: SERVICE_KEY_FILE,
    askKey: options.dryRun ? () => Promise.resolve(MISSING.key) : askForKey,
  });
  const osServices = parseAllowedUnits(options.allowOsServices);
  const executable = await serviceExecutable();
  const vaultDirectory = dirname(settings.config.vaultPath);
  const own = [STATE_DIRECTORY, vaultDirectory, dirname(serviceEnvFile()), unitPath(UNIT), executable.path];
  refuseWritable(options.writable, { user, own });
  const units = unitFiles({
    executable: executable.path,
    user,
    envFile: serviceEnvFile(),
    allowSudo: options.allowSudo,
    allowOsServices: osServices !== null && user !== "root",
    stateOutside: isOutside(vaultDirectory) ? [vaultDirectory] : [],
    writable: options.writable,
  });
  const polkit = polkitRules(user, osServices);
  const createsJobUser = user !== "root" && !(await userExists(JOB_USER));
  return { user, createsUser: !known, createsJobUser, executable, settings, units, polkit };
}

/** Whether the directory is outside the one that systemd makes and opens for the service. */
function isOutside(directory: string): boolean {
  return !`${directory}/`.startsWith(`${STATE_DIRECTORY}/`);
}

/** Writes what differs and reports each change. True when the service has to be restarted. */
async function carryOut(plan: Plan, say: Say): Promise<boolean> {
  const { user, createsUser, createsJobUser, executable, units, polkit } = plan;
  if (createsUser) {
    await createServiceUser(user);
    say(`made the user ${user}`);
  }
  if (createsJobUser) {
    await createServiceUser(JOB_USER);
    say(`made the user ${JOB_USER}, for jobs`);
  }
  const directory = dirname(plan.settings.config.vaultPath);
  if (isOutside(directory) && !existsSync(directory)) {
    await mustRun("install", ["-d", "-m", "0700", "-o", user, directory], `making ${directory}`);
    say(`made ${directory}`);
  }
  const newExecutable = executable.copyFrom !== null && !(await sameFile(executable.copyFrom, executable.path));
  if (executable.copyFrom !== null && newExecutable) {
    await copyExecutable(executable.copyFrom, executable.path);
    say(`copied this executable to ${executable.path}`);
  }
  // The code works once, so its key is written directly after the exchange.
  const settings = await enrolled(plan.settings);
  if (settings.changed) {
    await mkdir(dirname(serviceEnvFile()), { recursive: true, mode: 0o755 });
    await writeAndSay(serviceEnvFile(), settings.text, 0o600, say);
  } else {
    await chmod(serviceEnvFile(), 0o600);
  }
  const newKey = settings.newKey !== null && settings.newKey !== textOf(SERVICE_KEY_FILE)?.trim();
  if (newKey) await writeAndSay(SERVICE_KEY_FILE, `${settings.newKey}\n`, 0o400, say);
  if (existsSync(SERVICE_KEY_FILE))
    await mustRun("chown", [user, SERVICE_KEY_FILE], `giving ${SERVICE_KEY_FILE} to ${user}`);
  await applyPolkit(polkit, say);
  const newUnits = Object.entries(units).filter(([name, text]) => textOf(unitPath(name)) !== text);
  for (const [name, text] of newUnits) await writeAndSay(unitPath(name), text, 0o644, say);
  if (newUnits.length > 0) {
    await mustRun("systemctl", ["daemon-reload"], "reloading systemd");
    // The agent ends its jobs first, because they end with their sockets.
    await runProgram("systemctl", ["stop", UNIT]);
    await runProgram("systemctl", ["stop", ...ALL_JOB_UNITS]);
  }
  await removeFormerUnits(units, say);
  return newExecutable || settings.changed || newKey || newUnits.length > 0;
}

/** An agent that ran as another user had units for its jobs. An agent that runs as root has none. */
async function removeFormerUnits(units: Plan["units"], say: Say): Promise<void> {
  const former = [JOB_SOCKET_UNIT, JOB_UNIT].filter((name) => !(name in units) && existsSync(unitPath(name)));
  if (former.length === 0) return;
  await runProgram("systemctl", ["stop", ...ALL_JOB_UNITS]);
  for (const name of former) {
    await rm(unitPath(name));
    say(`removed ${unitPath(name)}`);
  }
  await mustRun("systemctl", ["daemon-reload"], "reloading systemd");
}

/** Whether a process runs the file that has this name now. An update or the install script may have replaced it. */
async function runs(pid: number, executable: string): Promise<boolean> {
  return (await readlink(`/proc/${pid}/exe`).catch(() => "")) === (await realpath(executable).catch(() => null));
}

async function sameFile(one: string, other: string): Promise<boolean> {
  if (!existsSync(other) || Bun.file(one).size !== Bun.file(other).size) return false;
  return (await sumOf(one)) === (await sumOf(other));
}

async function sumOf(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  return hash.digest("hex");
}
