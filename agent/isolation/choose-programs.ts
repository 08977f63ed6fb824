import { readFileSync, realpathSync } from "node:fs";
import { basename } from "node:path";
import type { Isolation } from "../../schema/contract/agent.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { errorMessage } from "../executors/shared/failures.ts";
import { accountChannel } from "../programs/channels.ts";
import { programsHere } from "../programs/here.ts";
import { HostedPrograms } from "../programs/hosted.ts";
import type { JobChannel } from "../programs/hosted.ts";
import type { Programs } from "../programs/program.ts";
import { assess } from "./assess.ts";
import { accountNamed } from "./job-account.ts";
import { takeJobAccount } from "./job-accounts.ts";
import { slotChannels } from "./job-slots.ts";

const STATUS_MAX_BYTES = 65_536;
/** The beginning of the reason when no job process could be started. */
export const JOBS_FAIL = "jobs with programs fail until this is repaired";
const AGENT_UNIT = "bellhop-agent.service";
const SUDO_MS = 5_000;
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export interface JobPrograms {
  programs: Programs;
  isolation: Isolation;
  /** A sentence without its full stop. */
  reason: string;
  stop(): Promise<void>;
}

interface Wanted {
  /** The directory of the sockets behind which systemd starts job processes; null without one. */
  jobSocket: string | null;
  /** `off`, or the account that jobs run as. Null: separate accounts when this process is root. */
  jobUser: string | null;
  stateDirectory: string;
}

/** Decides how this agent runs the programs of jobs, and how they are isolated from it. Throws StartRefused. */
export async function chooseJobPrograms({ jobSocket, jobUser, stateDirectory }: Wanted): Promise<JobPrograms> {
  const own = (reason: string): JobPrograms => {
    return { programs: programsHere(stateDirectory), isolation: "none", reason, stop: async () => undefined };
  };
  if (process.platform === "win32") return own("jobs run as the agent's own account, the only way on Windows");
  if (jobSocket !== null) return hosted(slotChannels(jobSocket), "unit");
  const isRoot = process.getuid?.() === 0;
  if (jobUser === "off")
    return own(isRoot ? "jobs run as root (JOB_USER=off)" : "jobs run as the agent's own account (JOB_USER=off)");
  if (jobUser === null && isOwnUnit()) {
    const account = isRoot ? "root" : "the agent's own account";
    return own(
      `jobs run as ${account}: an older version wrote this service's unit; run bellhop-agent service install again`,
    );
  }
  const problem = jobUserProblem({ jobSocket, jobUser });
  if (problem !== null) throw new StartRefused(EXIT.config, problem);
  if (!isRoot) return own("jobs run as the agent's own account: install the agent as a service, or start it as root");
  const setpriv = findSetpriv();
  if (setpriv !== null) return hosted(accountsOf(setpriv, jobUser), "account");
  return own("jobs run as root: setpriv of util-linux is missing, install it");
}

/** Why jobs cannot run as the account that JOB_USER names; null where they can, and where none is named. */
export function jobUserProblem({ jobSocket, jobUser }: Pick<Wanted, "jobSocket" | "jobUser">): string | null {
  if (process.platform === "win32" || jobSocket !== null || jobUser === null || jobUser === "off") return null;
  if (process.getuid?.() !== 0)
    return "JOB_USER needs an agent that runs as root: start it as root, or leave JOB_USER unset";
  if (findSetpriv() === null) return "JOB_USER needs setpriv of util-linux on this machine: install it";
  try {
    accountNamed(jobUser);
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

/** Units of this version set JOB_SOCKET or JOB_USER. Under a unit of an older version jobs keep the rights they had. */
function isOwnUnit(): boolean {
  try {
    return readFileSync("/proc/self/cgroup", "utf8").includes(`/${AGENT_UNIT}`);
  } catch {
    return false;
  }
}

async function hosted(open: () => Promise<JobChannel>, how: "unit" | "account"): Promise<JobPrograms> {
  const programs = new HostedPrograms(open);
  const stop = () => programs.stop();
  try {
    const status = Buffer.from(await programs.readFile("/proc/self/status", STATUS_MAX_BYTES)).toString("utf8");
    return { programs, ...assess({ status, sudo: await sudoRules(programs, status) }, how), stop };
  } catch (error) {
    // No fallback to the agent's own account: a fault must not remove the isolation.
    const reason = `${JOBS_FAIL}: ${errorMessage(error)}`;
    return { programs, isolation: "none", reason, stop };
  }
}

/** BusyBox has a setpriv that cannot switch accounts. */
function findSetpriv(): string | null {
  const found = Bun.which("setpriv", { PATH: DEFAULT_PATH });
  return found === null || basename(realpathSync(found)) === "busybox" ? null : found;
}

/** Each process runs as the named account, or as a separate account without one. */
function accountsOf(setpriv: string, jobUser: string | null): () => Promise<JobChannel> {
  if (jobUser !== null) {
    const account = accountNamed(jobUser);
    return async () => accountChannel(setpriv, account).channel;
  }
  return async () => {
    const { uid, release } = await takeJobAccount();
    const { channel, exited } = accountChannel(setpriv, { uid, gid: uid });
    void exited.then(release);
    return channel;
  };
}

/** What sudo allows a job (`JobRights`). sudo lists nothing when it asks for a password first (`listpw`). */
async function sudoRules(programs: Programs, status: string): Promise<string | null> {
  if (/^NoNewPrivs:\s*1$/mu.test(status)) return "";
  try {
    const rules = await sudo(programs, ["-l"]);
    if (rules !== null) return rules;
    const tried = await Promise.all(
      ["root", `#${process.getuid?.()}`].map((user) => sudo(programs, ["-u", user, "true"])),
    );
    return tried.every((said) => said === null) ? "" : null;
  } catch {
    return null;
  }
}

/** The output of sudo without a password; null when it refuses. Throws when it does not answer. */
async function sudo(programs: Programs, args: readonly string[]): Promise<string | null> {
  const env = { PATH: DEFAULT_PATH, LC_ALL: "C" };
  const order = { argv: ["sudo", "-n", ...args], env, mark: crypto.randomUUID() };
  const program = await programs.start(order).catch(() => null);
  if (program === null) return null;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void program.close();
  }, SUDO_MS);
  try {
    const [said, { exitCode }] = await Promise.all([new Response(program.stdout).text(), program.exited]);
    if (isLate) throw new Error(`sudo gave no answer within ${SUDO_MS} ms`);
    return exitCode === 0 ? said : null;
  } finally {
    clearTimeout(timer);
    await program.close();
  }
}
