import type { Isolation } from "../../schema/contract/agent.ts";
import { JOB_UIDS } from "../programs/job-process.ts";
import { groupNames } from "./job-account.ts";

/** What a job's process says of itself: /proc/self/status and, where it may become somebody else, `sudo -l`. */
export interface JobRights {
  status: string;
  sudo: string;
}

/** Whoever is in one of these can be root: by a container with the host's files in it, or by the disk itself. */
const ROOT_GROUPS = new Set(["docker", "lxd", "incus", "incus-admin", "libvirt", "disk", "root", "shadow", "kmem"]);
const SUDO_ALL = /\(\s*(?:ALL|root)\b[^)]*\)\s*(?:[A-Z]+:\s*)*ALL\b/u;

/** What keeps a job that runs so from the agent (`isolationSchema`), and why, as a sentence. */
export function assess({ status, sudo }: JobRights, how: string): { isolation: Isolation; reason: string } {
  const none = (why: string) => ({ isolation: "none" as const, reason: `${why}: a job can read what the agent has` });
  const uid = numbers(status, "Uid")[1] ?? 0;
  const groups = groupNames([...numbers(status, "Gid"), ...numbers(status, "Groups")]);
  const group = groups.find((name) => ROOT_GROUPS.has(name));
  if (uid === 0) return none("jobs run as root");
  if (uid === process.getuid?.()) return none("jobs run as the agent's own account");
  if (group !== undefined) return none(`the account of jobs is in the group ${group}, which is as good as root`);
  if (!/^CapEff:\s*0+$/mu.test(status)) return none("the account of jobs has capabilities");
  if (SUDO_ALL.test(sudo)) return none("sudo lets the account of jobs do everything");
  const isAlone = uid >= JOB_UIDS.first && uid <= JOB_UIDS.last;
  const account = isAlone ? "accounts that exist for one job each" : `an account of their own (uid ${uid})`;
  return { isolation: isAlone && how === "unit" ? "perJob" : "account", reason: `jobs run as ${account}` };
}

function numbers(status: string, name: string): number[] {
  const line = status.split("\n").find((each) => each.startsWith(`${name}:`)) ?? "";
  return line
    .slice(name.length + 1)
    .trim()
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map(Number);
}
