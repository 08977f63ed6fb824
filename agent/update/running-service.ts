import { readFile, realpath } from "node:fs/promises";
import { readEnvFile } from "../commands/env-file.ts";
import { hostFacts, serviceEnvFile } from "../commands/environment.ts";
import { readLocalConfig } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { isLocked } from "../journal/process-lock.ts";
import { statePaths } from "../paths.ts";
import { readStatusFile } from "../status-file.ts";
import type { RegisteredStatus } from "../status-file.ts";
import { hasSystemd } from "../system-service/linux/no-systemd.ts";
import { JOB_UNIT, UNIT } from "../system-service/linux/unit-file.ts";
import { givenUp, readUnitStatus } from "../system-service/linux/unit-status.ts";
import { mustRun, runProgram } from "../system-service/run-program.ts";
import { windowsPlaces } from "../system-service/windows/places.ts";
import { SCHTASKS } from "../system-service/windows/task.ts";

/** The agent that runs as a service of this machine. */
export interface RunningService {
  name: string;
  restart(): Promise<void>;
  registered(): RegisteredStatus | null;
  /** Why the service will no longer register; null while it still may. */
  givenUp(): Promise<string | null>;
}

/** The service that runs this executable; null when there is none. Throws when its configuration cannot be read. */
export async function findRunningService(executable: string): Promise<RunningService | null> {
  if (process.platform === "win32") return findTask(executable);
  if (!hasSystemd()) return null;
  const unit = await readUnitStatus();
  if (unit === null || unit.load !== "loaded" || !["active", "activating", "reloading"].includes(unit.active))
    return null;
  if ((await realpath(unit.execStart).catch(() => null)) !== executable) return null;
  if (isPartOf(UNIT, await readFile("/proc/self/cgroup", "utf8").catch(() => ""))) {
    throw new CommandRefused(
      EXIT.usage,
      `a job of ${UNIT} cannot restart the service, because the restart would end the job: nothing was changed. Let systemd run the update: systemd-run --collect ${executable} update --yes`,
    );
  }
  const status = statePaths(vaultPath()).status;
  return {
    name: UNIT,
    // After a failure `givenUp` knows more than systemctl reports.
    restart: async () => {
      await runProgram("systemctl", ["restart", UNIT]);
    },
    registered: () => readStatusFile(status),
    givenUp: async () => givenUp(await readUnitStatus()),
  };
}

const JOB_PREFIX = JOB_UNIT.slice(0, JOB_UNIT.indexOf("@") + 1);

/** Whether the process of this /proc/<pid>/cgroup belongs to the unit, as jobs of the agent do (cgroups(7)). */
export function isPartOf(unit: string, cgroup: string): boolean {
  return cgroup
    .split("\n")
    .some((line) => line.split("/").some((part) => part === unit || part.startsWith(JOB_PREFIX)));
}

async function findTask(executable: string): Promise<RunningService | null> {
  if (executable.toLowerCase() !== windowsPlaces().executable.toLowerCase()) return null;
  if ((await runProgram("schtasks", SCHTASKS.query)).code !== 0) return null;
  const paths = statePaths(vaultPath());
  if (!isLocked(paths.lock)) return null;
  return {
    name: "the task of the agent",
    restart: async () => {
      await runProgram("schtasks", SCHTASKS.end);
      await mustRun("schtasks", SCHTASKS.run, "starting the task");
    },
    registered: () => (isLocked(paths.lock) ? readStatusFile(paths.status) : null),
    givenUp: () => Promise.resolve(null),
  };
}

function vaultPath(): string {
  const local = readLocalConfig(readEnvFile(serviceEnvFile()), hostFacts());
  if (local.ok) return local.config.vaultPath;
  throw new Error(`${serviceEnvFile()} is wrong: ${local.problems.join("; ")}`);
}
