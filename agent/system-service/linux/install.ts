import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, readlink, realpath, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { hostname } from "node:os";
import { replaceFile } from "../../atomic-file.ts";
import { serviceEnvFile } from "../../commands/environment.ts";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { askForKey, keyFromFile } from "../api-key.ts";
import type { InstallOptions } from "../arguments.ts";
import { shownEnvText } from "../env-text.ts";
import { lineDiff } from "../line-diff.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { gatherSettings } from "../settings.ts";
import type { Settings } from "../settings.ts";
import { copyExecutable, serviceExecutable } from "./executable.ts";
import { parseAllowedUnits, polkitRule, POLKIT_RULE_PATH } from "./polkit-rule.ts";
import { SERVICE_USER, STATE_DIRECTORY, UNIT, UNIT_PATH, unitFile, unitState } from "./unit-file.ts";
import { readUnitStatus } from "./unit-status.ts";
import { createServiceUser, parseUser, userExists } from "./user.ts";
import { waitUntilRegistered } from "./wait.ts";

type Say = (line: string) => void;

interface Plan {
  user: string;
  createsUser: boolean;
  executable: { path: string; copyFrom: string | null };
  settings: Settings;
  unit: string;
  /** Null: there shall be none. */
  polkit: string | null;
}

/** `bellhop-agent service install` with systemd. Repeated, it changes what differs. Throws CommandRefused. */
export async function installOnSystemd(options: InstallOptions, say: Say): Promise<number> {
  if (!options.dryRun && process.getuid?.() !== 0) {
    throw new CommandRefused(
      EXIT.notAllowed,
      "only root can install a service: run it with sudo; --dry-run shows what it would write",
    );
  }
  const plan = await makePlan(options);
  const existing = textOf(UNIT_PATH);
  const state = unitState(existing, plan.unit);
  if (options.dryRun) {
    describePlan(plan, existing, say);
    return EXIT.ok;
  }
  if (state === "changed" && !options.force) {
    const diff = lineDiff(existing ?? "", plan.unit).map((line) => `  ${line}`);
    throw new CommandRefused(
      EXIT.failed,
      [
        `${UNIT_PATH} was changed by hand; nothing was written. These lines differ (- as it is, + as it would be):`,
        ...diff,
        `Keep your changes as a drop-in (systemctl edit ${UNIT}), and repeat this with --force, which replaces the file.`,
      ].join("\n"),
    );
  }
  const changed = await carryOut(plan, state, say);
  await mustRun("systemctl", ["enable", "--quiet", UNIT], "enabling the service");
  const before = await readUnitStatus();
  const isUp = before?.active === "active" && (await runs(before.mainPid, plan.executable.path));
  if (isUp && !changed) say(`${UNIT} runs already, and nothing has changed`);
  else {
    // Where it cannot start, the wait below says more about it than systemctl does.
    const { code } = await runProgram("systemctl", ["restart", UNIT]);
    say(`${UNIT} is enabled and ${code === 0 ? "started" : "could not be started"}`);
  }
  if (!options.wait) return EXIT.ok;
  return waitUntilRegistered(plan.settings.config.vaultPath, say);
}

async function makePlan(options: InstallOptions): Promise<Plan> {
  const user = options.user === null ? SERVICE_USER : parseUser(options.user);
  const known = await userExists(user);
  if (!known && user !== SERVICE_USER) {
    throw new CommandRefused(
      EXIT.usage,
      `there is no user ${user}: create it first, or leave --user out and ${SERVICE_USER} is made`,
    );
  }
  const key: Record<string, string> =
    options.keyFile === null ? {} : { AGENT_API_KEY: await keyFromFile(options.keyFile) };
  const settings = await gatherSettings({
    path: serviceEnvFile(),
    env: process.env,
    given: { ...(options.url === null ? {} : { AGENT_API_URL: options.url }), ...key },
    defaults: { VAULT_PATH: `${STATE_DIRECTORY}/vault.json` },
    host: {
      hostName: hostname(),
      platform: process.platform,
      homeDirectory: STATE_DIRECTORY,
      workingDirectory: STATE_DIRECTORY,
    },
    askKey: askForKey,
  });
  const units = parseAllowedUnits(options.allowOsServices);
  const executable = await serviceExecutable();
  const vaultDirectory = dirname(settings.config.vaultPath);
  const unit = unitFile({
    executable: executable.path,
    user,
    envFile: serviceEnvFile(),
    allowSudo: options.allowSudo,
    allowOsServices: units !== null && user !== "root",
    writable: [...(isOutside(vaultDirectory) ? [vaultDirectory] : []), ...options.writable],
  });
  const polkit = units === null || user === "root" ? null : polkitRule(user, units);
  return { user, createsUser: !known, executable, settings, unit, polkit };
}

/** Whether systemd neither makes a directory nor lets the service write to it by itself. */
function isOutside(directory: string): boolean {
  return !`${directory}/`.startsWith(`${STATE_DIRECTORY}/`);
}

/** Writes what differs; says each thing. True when the service has to be started again. */
async function carryOut(plan: Plan, state: ReturnType<typeof unitState>, say: Say): Promise<boolean> {
  const { user, createsUser, executable, settings, unit, polkit } = plan;
  if (createsUser) {
    await createServiceUser();
    say(`made the user ${user}`);
  }
  const directory = dirname(settings.config.vaultPath);
  if (isOutside(directory) && !existsSync(directory)) {
    await mustRun("install", ["-d", "-m", "0700", "-o", user, directory], `making ${directory}`);
    say(`made ${directory}`);
  }
  const newExecutable = executable.copyFrom !== null && !(await sameFile(executable.copyFrom, executable.path));
  if (executable.copyFrom !== null && newExecutable) {
    await copyExecutable(executable.copyFrom, executable.path);
    say(`copied this executable to ${executable.path}`);
  }
  if (settings.changed) {
    await mkdir(dirname(serviceEnvFile()), { recursive: true, mode: 0o755 });
    await write(serviceEnvFile(), settings.text, 0o600, say);
  } else {
    await chmod(serviceEnvFile(), 0o600);
  }
  await applyPolkit(polkit, say);
  if (state !== "same") {
    await write(UNIT_PATH, unit, 0o644, say);
    await mustRun("systemctl", ["daemon-reload"], "telling systemd of the unit");
  }
  return newExecutable || settings.changed || state !== "same";
}

async function applyPolkit(rule: string | null, say: Say): Promise<void> {
  const existing = textOf(POLKIT_RULE_PATH);
  if (rule === existing) return;
  if (rule === null) {
    await rm(POLKIT_RULE_PATH);
    say(`removed ${POLKIT_RULE_PATH}: os.* actions control no services now`);
    return;
  }
  if (!existsSync(dirname(POLKIT_RULE_PATH))) {
    say(
      `warning: there is no ${dirname(POLKIT_RULE_PATH)}, so polkit may not be installed: os.* actions need it, or --user root`,
    );
    await mkdir(dirname(POLKIT_RULE_PATH), { recursive: true, mode: 0o755 });
  }
  await write(POLKIT_RULE_PATH, rule, 0o644, say);
}

async function write(path: string, text: string, mode: number, say: Say): Promise<void> {
  const verb = existsSync(path) ? "changed" : "wrote";
  await replaceFile(path, async (file) => {
    await file.writeFile(text);
    await file.chmod(mode);
  });
  say(`${verb} ${path}`);
}

function describePlan(
  { user, createsUser, executable, settings, unit, polkit }: Plan,
  existing: string | null,
  say: Say,
): void {
  say("Nothing is written. It would:");
  if (createsUser) say(`- make the user ${user}`);
  if (executable.copyFrom !== null) say(`- copy ${executable.copyFrom} to ${executable.path}`);
  describeFile(serviceEnvFile(), "0600", settings.changed, shownEnvText(settings.text), say);
  if (polkit !== null) describeFile(POLKIT_RULE_PATH, "0644", polkit !== textOf(POLKIT_RULE_PATH), polkit, say);
  describeFile(UNIT_PATH, "0644", unit !== existing, unit, say);
  if (existing !== null && unit !== existing) say(["- change in it:", ...lineDiff(existing, unit)].join("\n    "));
  say(`- systemctl daemon-reload, enable ${UNIT}, and restart it where something changed`);
}

function describeFile(path: string, mode: string, differs: boolean, text: string, say: Say): void {
  if (!differs) return say(`- leave ${path} as it is`);
  say(`- write ${path} (mode ${mode}):\n${text.trimEnd().replaceAll(/^(?=.)/gmu, "    ")}`);
}

/** Whether a process is of the file that has this name now: an update, or the install script, may have replaced it. */
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

function textOf(path: string): string | null {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}
