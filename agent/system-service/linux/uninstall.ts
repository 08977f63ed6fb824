import { existsSync } from "node:fs";
import { rm, rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { serviceEnvFile } from "../../commands/environment.ts";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { POLKIT_RULE_PATH } from "./polkit-rule.ts";
import { STATE_DIRECTORY, UNIT, UNIT_PATH } from "./unit-file.ts";
import { readUnitStatus } from "./unit-status.ts";
import { removeServiceUser } from "./user.ts";

/** `bellhop-agent service uninstall`: the agent ends in order first. May be repeated. Throws CommandRefused. */
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
    await rm(UNIT_PATH);
    await mustRun("systemctl", ["daemon-reload"], "telling systemd");
    await runProgram("systemctl", ["reset-failed", UNIT]);
    say(`stopped and removed ${UNIT}`);
  } else {
    say(`there is no ${UNIT_PATH}`);
  }
  await removeIfThere(POLKIT_RULE_PATH, say);
  if (purge) await removeData(say);
  else sayWhatStays(say);
  if (executable !== "") say(`the executable stays: rm ${executable} removes it`);
  return EXIT.ok;
}

async function removeData(say: (line: string) => void): Promise<void> {
  await removeIfThere(serviceEnvFile(), say);
  await rmdir(dirname(serviceEnvFile())).catch(() => undefined);
  await removeIfThere(STATE_DIRECTORY, say);
  await removeIfThere(`${UNIT_PATH}.d`, say);
  if (await removeServiceUser()) say("removed its user");
  say("the agent is still known to the deployment, and its key is valid: delete it there");
}

function sayWhatStays(say: (line: string) => void): void {
  const kept = [serviceEnvFile(), STATE_DIRECTORY].filter((path) => existsSync(path));
  if (kept.length > 0)
    say(`kept ${kept.join(" and ")}: service install takes them up again, uninstall --purge removes them`);
}

async function removeIfThere(path: string, say: (line: string) => void): Promise<void> {
  if (!existsSync(path)) return;
  await rm(path, { recursive: true });
  say(`removed ${path}`);
}
