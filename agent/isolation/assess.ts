import type { Isolation } from "../../schema/contract/agent.ts";
import { groupNames, userNames } from "./job-account.ts";
import { isJobUid } from "./job-uids.ts";

/**
 * What a job process reports about itself: /proc/self/status and, where it may become another account, `sudo -l`.
 * `sudo` is null when sudo lists nothing although it starts programs, or does not answer.
 */
export interface JobRights {
  status: string;
  sudo: string | null;
}

/** Members can become root: through a container that mounts the host's files, or through the disk device. */
const ROOT_GROUPS = new Set(["docker", "lxd", "incus", "incus-admin", "libvirt", "disk", "root", "shadow", "kmem"]);
/** The isolation between the agent and a job with these rights (`isolationSchema`), and the reason as a sentence. */
export function assess({ status, sudo }: JobRights, how: string): { isolation: Isolation; reason: string } {
  const none = (why: string) => ({
    isolation: "none" as const,
    reason: `${why}: a job can read the agent's files and secrets`,
  });
  const uid = numbers(status, "Uid")[1] ?? 0;
  const groups = groupNames([...numbers(status, "Gid"), ...numbers(status, "Groups")]);
  const group = groups.find((name) => ROOT_GROUPS.has(name));
  if (uid === 0) return none("jobs run as root");
  if (uid === process.getuid?.()) return none("jobs run as the agent's own account");
  if (group !== undefined) return none(`the account of jobs is in the group ${group}, whose members can become root`);
  if (!/^CapPrm:\s*0+$/mu.test(status)) return none("the account of jobs has capabilities");
  if (sudo === null)
    return none(
      "sudo does not list the rights of the account of jobs, and may let it start programs as another account",
    );
  const sudoAs = sudoEverythingAs(sudo);
  if (sudoAs !== null) return none(`sudo lets the account of jobs ${sudoAs}`);
  const isAlone = isJobUid(uid);
  const account = isAlone ? "accounts that exist for one job each" : `a separate account (uid ${uid})`;
  return { isolation: isAlone && how === "unit" ? "perJob" : "account", reason: `jobs run as ${account}` };
}

/**
 * Reads lines of `sudo -l` such as `(root : adm) CWD=* NOPASSWD: /bin/id, ALL`. Returns what they let a job do if that
 * reaches the agent. Any program as the agent's own account reaches it.
 */
function sudoEverythingAs(sudo: string): string | null {
  const own = process.getuid?.() ?? 0;
  const agent = new Set(own === 0 ? [] : [`#${own}`, ...userNames(own)]);
  const reaching = new Set(["ALL", "root", "#0"]);
  for (const [, as = "", commands = ""] of unwrapped(sudo).matchAll(/^\s*\(([^)]*)\)\s*(.*)$/gmu)) {
    const users = (as.split(":")[0] ?? "").split(",").map((user) => user.trim());
    const isEverything = commands.split(",").some((command) => /^\s*(?:[A-Z_]+(?:=\S+|:)\s*)*ALL\s*$/u.test(command));
    const asAgent = users.find((name) => agent.has(name));
    if (asAgent !== undefined) return `act as the agent's account ${asAgent}`;
    const user = isEverything ? users.find((name) => reaching.has(name)) : undefined;
    if (user !== undefined) return `do everything as ${user === "ALL" ? "any account" : user}`;
  }
  return null;
}

/** sudo wraps long rules. Continuation lines have a deeper indent than first lines. */
function unwrapped(sudo: string): string {
  return sudo.replaceAll(/\n {8,}/gu, " ");
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
