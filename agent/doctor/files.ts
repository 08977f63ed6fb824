import { stat } from "node:fs/promises";
import { openKeyFile } from "../api-key-file.ts";
import { hasCode } from "../atomic-file.ts";
import { inShell } from "../in-shell.ts";
import { accountName, findAccount, groupNames } from "../isolation/job-account.ts";
import { describeError } from "../log.ts";
import { isJobUid } from "../isolation/job-uids.ts";
import { openPlaces } from "../system-service/linux/open-places.ts";
import type { OpenPlace } from "../system-service/linux/open-places.ts";
import { JOB_USER } from "../system-service/linux/unit-file.ts";
import type { Check } from "./check.ts";
import { checksNamed } from "./check.ts";

const ROOT = 0;
const files = checksNamed("files");

export interface LookedAt {
  /** The files that decide what the agent does: executable, units, settings, state directory. Some may be missing. */
  paths: readonly string[];
  keyFile: string | null;
  /** The uid of the agent's account. */
  agentUid: number;
  /** JOB_USER. */
  jobUser: string | null;
}

/** Checks whether other accounts, above all those of jobs, can change the agent's files. Not on Windows. */
export async function checkFiles({ paths, keyFile, agentUid, jobUser }: LookedAt): Promise<Check[]> {
  if (process.platform === "win32") return [];
  const isJobs = accountsOfJobs(jobUser);
  const open = new Map<string, OpenPlace>();
  const checks: Check[] = [];
  for (const path of new Set([...paths, ...(keyFile === null ? [] : [keyFile])])) {
    try {
      for (const place of await openPlaces(path, new Set([ROOT, agentUid]))) open.set(place.path, place);
      const problem = path === keyFile ? openKeyFile(path, await stat(path)) : null;
      if (problem !== null) checks.push(files.fail(problem.what, problem.repair));
    } catch (error) {
      if (!hasCode(error, "ENOENT")) checks.push(files.skip(`${path} was not checked (${describeError(error)})`));
    }
  }
  const found = [...open.values()].filter(({ to }) => to !== "sticky").map((place) => describe(place, isJobs));
  if (found.length + checks.length > 0) return [...found, ...checks];
  const whose = agentUid === ROOT ? "root" : `root or ${accountName(agentUid)}`;
  const what = "executable, settings, state directory and every folder above them";
  return [files.ok(`${what} belong to ${whose}, and no other account can change them`)];
}

function describe({ path, uid, gid, mode, to }: OpenPlace, isJobs: IsJobs): Check {
  const by = {
    everyone: { who: "by every account, including those of jobs", jobs: true, repair: "close it: sudo chmod go-w" },
    group: { who: `by the group ${groupNames([gid])[0]}`, jobs: isJobs.group(gid), repair: "close it: sudo chmod g-w" },
    owner: {
      who: `by its owner ${accountName(uid)}`,
      jobs: isJobs.account(uid),
      repair: "give it to root: sudo chown root",
    },
    sticky: { who: "", jobs: false, repair: "" },
  }[to];
  const text = `${path} can be changed ${by.who} (mode ${octal(mode)})`;
  const repair = `${by.repair} ${inShell(path)}`;
  if (!by.jobs) return files.warn(text, repair);
  return files.fail(
    to === "everyone" ? text : `${text}; jobs run with this ${to === "group" ? "group" : "account"}`,
    repair,
  );
}

interface IsJobs {
  account(uid: number): boolean;
  group(gid: number): boolean;
}

function accountsOfJobs(jobUser: string | null): IsJobs {
  const named = [JOB_USER, ...(jobUser === null || jobUser === "off" ? [] : [jobUser])].flatMap(
    (name) => findAccount(name) ?? [],
  );
  return {
    account: (uid) => isJobUid(uid) || named.some((account) => account.uid === uid),
    group: (gid) => isJobUid(gid) || named.some((account) => account.gid === gid),
  };
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}
