import { statSync } from "node:fs";
import { JOBS_FAIL } from "../isolation/choose-programs.ts";
import { hasSystemd } from "../system-service/linux/no-systemd.ts";
import type { AgentFound } from "./agent-process.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";
import type { InstalledUnits } from "./installed-units.ts";

const isolation = checksNamed("isolation");
const INSTALL = "sudo bellhop-agent service install";
const NPM_START =
  "The agent of npm start always runs so: to separate jobs, install an agent as a service or run it in a container";

interface Looked {
  found: Pick<AgentFound, "isRunning" | "status">;
  /** Null when doctor does not check the installed service. */
  units: InstalledUnits | null;
  /** JOB_USER. */
  jobUser: string | null;
  /** Files with the agent's key. */
  keyFiles: readonly string[];
  /** The uid of the agent's account. */
  agentUid: number;
}

/** How jobs are isolated from the agent, as the running agent reports. */
export function checkIsolation({ found, units, jobUser, keyFiles, agentUid }: Looked): Check {
  const { isRunning, status } = found;
  if (!isRunning) return isolation.skip("not known: no agent runs");
  if (status === null) return isolation.skip("not known: the running agent did not report it");
  const { isolation: level, isolationReason: reason = "" } = status;
  if (reason.startsWith(JOBS_FAIL)) {
    const toDo = units === null ? "check that setpriv is the one of util-linux" : "see the check of the job socket";
    return isolation.fail(`${level}, but ${reason}`, `${toDo}, read the agent's log, and restart the agent`);
  }
  if (level === "perJob" || level === "account") return isolation.ok(`${level}: ${reason}`);
  const why = level === undefined ? "the running agent is of an earlier version, which does not isolate jobs" : reason;
  const open = keyFiles.filter((path) => isReadableBy(agentUid, path));
  const keys = open.length === 0 ? "" : `, including the key in ${open.join(" and ")}`;
  return isolation.warn(`none: ${why}${keys}`, howToIsolate({ units, jobUser, agentUid }));
}

function howToIsolate({ units, jobUser, agentUid }: Pick<Looked, "units" | "jobUser" | "agentUid">): string {
  if (process.platform === "win32") {
    return "Windows has no other way: let people edit workflows for this agent only if they may have all its credentials";
  }
  if (units !== null) {
    if (!units.usesSocket && units.user !== "root") return `write the units that isolate jobs: ${INSTALL}`;
    if (units.user === "root") return `install the service again, without --user root: ${INSTALL}`;
    return "remove that right from the account of jobs, and restart the agent";
  }
  if (jobUser === "off" && agentUid === 0) {
    return `unset JOB_USER and restart the agent: each job then gets another account (setpriv of util-linux must be installed). ${NPM_START}`;
  }
  const advice = hasSystemd()
    ? `install the agent as a service: ${INSTALL}`
    : "start the agent as root, where setpriv (util-linux) is installed: each job gets an account, or all get JOB_USER";
  return jobUser === "off" ? `${advice}. ${NPM_START}` : advice;
}

function isReadableBy(uid: number, path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  return uid === 0 || (found.mode & (found.uid === uid ? 0o400 : 0o004)) !== 0;
}
