import { existsSync } from "node:fs";
import { readdir, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readEnvFile } from "../../commands/env-file.ts";
import { hostFacts, serviceEnvFile } from "../../commands/environment.ts";
import { readLocalConfig } from "../../config.ts";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { isOwn, statePaths } from "../../paths.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { executablePaths } from "../../update/swap.ts";
import { JOB_POLKIT_RULE_PATH, POLKIT_RULE_PATH } from "./polkit-rule.ts";
import {
  ALL_JOB_UNITS,
  JOB_SOCKET_UNIT,
  JOB_UNIT,
  JOB_USER,
  SERVICE_KEY_FILE,
  SERVICE_USER,
  STATE_DIRECTORY,
  UNIT,
  UNIT_PATH,
  unitPath,
} from "./unit-file.ts";
import { readUnitStatus } from "./unit-status.ts";
import { removeServiceUser } from "./user.ts";

const UNITS = [UNIT, JOB_SOCKET_UNIT, JOB_UNIT];

/** `bellhop-agent service uninstall`: shuts the agent down gracefully first. May be repeated. Throws CommandRefused. */
export async function uninstallFromSystemd(
  { purge }: { purge: boolean },
  say: (line: string) => void,
): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new CommandRefused(EXIT.notAllowed, "only root can remove a service: run it with sudo");
  const executable = (await readUnitStatus())?.execStart ?? "";
  if (existsSync(UNIT_PATH)) {
    await mustRun("systemctl", ["stop", UNIT], "stopping the service");
    await mustRun("systemctl", ["disable", "--quiet", UNIT], "disabling the service");
    await runProgram("systemctl", ["stop", ...ALL_JOB_UNITS]);
    for (const unit of UNITS) await rm(unitPath(unit), { force: true });
    await mustRun("systemctl", ["daemon-reload"], "reloading systemd");
    await runProgram("systemctl", ["reset-failed", UNIT, ...ALL_JOB_UNITS]);
    say(`stopped and removed ${UNIT}`);
  } else {
    say(`there is no ${UNIT_PATH}`);
  }
  for (const rule of [POLKIT_RULE_PATH, JOB_POLKIT_RULE_PATH]) await removeIfThere(rule, say);
  if (purge) await removeData(say);
  else sayWhatStays(say);
  if (executable !== "") {
    const { current, previous, lock } = executablePaths(executable);
    const there = [current, previous, lock].filter((path) => existsSync(path));
    say(`the executable stays: rm ${there.join(" ")} removes it`);
  }
  return EXIT.ok;
}

async function removeData(say: (line: string) => void): Promise<void> {
  for (const path of await stateElsewhere()) await removeIfThere(path, say);
  for (const path of [serviceEnvFile(), SERVICE_KEY_FILE]) await removeIfThere(path, say);
  await rmdir(dirname(serviceEnvFile())).catch(() => undefined);
  await removeIfThere(STATE_DIRECTORY, say);
  for (const unit of UNITS) await removeIfThere(`${unitPath(unit)}.d`, say);
  for (const user of [SERVICE_USER, JOB_USER]) if (await removeServiceUser(user)) say(`removed the user ${user}`);
  say("the agent is still known to the deployment, and its key is valid: delete it there");
}

/** The agent's own files in a directory outside the service's, if VAULT_PATH names one, without other files. */
async function stateElsewhere(): Promise<string[]> {
  if (!existsSync(serviceEnvFile())) return [];
  const host = { ...hostFacts(), homeDirectory: STATE_DIRECTORY, workingDirectory: STATE_DIRECTORY };
  const local = readLocalConfig(readEnvFile(serviceEnvFile()), host);
  if (!local.ok) throw new CommandRefused(EXIT.config, `${serviceEnvFile()} is wrong: ${local.problems.join("; ")}`);
  const { vaultPath } = local.config;
  const directory = dirname(vaultPath);
  if (`${directory}/`.startsWith(`${STATE_DIRECTORY}/`) || !existsSync(directory)) return [];
  const paths = statePaths(vaultPath);
  return (await readdir(directory)).filter((name) => isOwn(name, paths)).map((name) => join(directory, name));
}

function sayWhatStays(say: (line: string) => void): void {
  const kept = [serviceEnvFile(), SERVICE_KEY_FILE, STATE_DIRECTORY].filter((path) => existsSync(path));
  if (kept.length > 0) say(`kept ${kept.join(", ")}: service install uses them again, uninstall --purge removes them`);
}

async function removeIfThere(path: string, say: (line: string) => void): Promise<void> {
  if (!existsSync(path)) return;
  await rm(path, { recursive: true });
  say(`removed ${path}`);
}
