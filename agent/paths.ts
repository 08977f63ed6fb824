import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { MustRun } from "./windows-access.ts";

/** What the agent keeps on disk, all of it beside the vault file. */
export interface StatePaths {
  vault: string;
  journal: string;
  lock: string;
  adminToken: string;
  /** Where the admin API of the running agent listens. */
  adminUrl: string;
  /** What the running agent says of itself once it is registered. */
  status: string;
  /** For executors: what outlives a job, such as pinned host keys. */
  executorState: string;
}

const OPEN_TO_OTHERS = "other users may enter a directory of the agent";
/** What an installation on Windows keeps beside the vault: the executable, its configuration, its log. */
const INSTALLED = /^(\.?bellhop-agent\b.*|agent\.(env|log).*|task\.xml)$/iu;

export interface StateOptions {
  /**
   * A command may run under another account than the agent. On Windows it leaves the access to directories alone, or the
   * agent could lose its own.
   */
  by?: "agent" | "command";
  platform?: NodeJS.Platform;
  /** Runs the programs of Windows. */
  run?: MustRun;
}

/** Two agents with vault files of different names may share a directory; each has a journal and a lock of its own. */
export function statePaths(vaultPath: string): StatePaths {
  const directory = dirname(vaultPath);
  const stem = join(directory, basename(vaultPath).replace(/\.json$/u, ""));
  return {
    vault: vaultPath,
    journal: `${stem}.journal`,
    lock: `${stem}.lock`,
    adminToken: join(directory, "admin-token"),
    adminUrl: `${stem}.admin-url`,
    status: `${stem}.status.json`,
    executorState: `${stem}.state`,
  };
}

/**
 * Makes the directories, readable by this user alone, and closes to others those that were there; where it may not do
 * that, it warns. Throws StartRefused when it may not make them.
 */
export async function makeStateDirectories(paths: StatePaths, log: Log, options: StateOptions = {}): Promise<void> {
  const directory = dirname(paths.vault);
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await mkdir(paths.executorState, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartRefused(
      EXIT.cannotCreate,
      `cannot make the directory of the vault (${describeError(error)}): ` +
        "let VAULT_PATH name a file in a directory that this user may write to",
      { cause: error },
    );
  }
  const { by = "agent", platform = process.platform, run } = options;
  if (platform === "win32") return by === "agent" ? closeOnWindows(paths, log, run) : undefined;
  for (const open of [directory, paths.executorState]) {
    try {
      await closeToOthers(open, paths, log);
    } catch (error) {
      log.warning(`${OPEN_TO_OTHERS}: close it to them (chmod 700)`, { directory: open, error: describeError(error) });
    }
  }
}

async function closeOnWindows(paths: StatePaths, log: Log, run?: MustRun): Promise<void> {
  const directory = dirname(paths.vault);
  try {
    const isShared = (await readdir(directory)).some((name) => !isOwn(name, paths) && !INSTALLED.test(name));
    if (isShared) {
      log.warning(
        "other users may be able to enter the directory of the vault, and it is not this agent's alone: let VAULT_PATH " +
          "name a file in a separate directory, or close this one to them (icacls)",
        { directory },
      );
    }
    const { closeDirectories } = await import("./windows-access.ts");
    await closeDirectories(isShared ? [paths.executorState] : [directory, paths.executorState], run);
  } catch (error) {
    log.warning(
      "other users may be able to enter a directory of the agent: leave it to SYSTEM, Administrators and the agent's " +
        "account (icacls), and start the agent again",
      { directory, error: describeError(error) },
    );
  }
}

/** What else lies there may be meant for others: then it is for its owner to decide. */
async function closeToOthers(directory: string, paths: StatePaths, log: Log): Promise<void> {
  const { mode, uid } = await stat(directory);
  if ((mode & 0o077) === 0) return;
  const isShared = directory !== paths.executorState && (await readdir(directory)).some((name) => !isOwn(name, paths));
  if (isShared || uid !== process.getuid?.()) {
    log.warning(
      `${OPEN_TO_OTHERS}, and it is not this agent's alone: let VAULT_PATH name a file in a directory of its own, ` +
        "or close this one to them (chmod 700)",
      { directory },
    );
    return;
  }
  await chmod(directory, 0o700);
  log.info("a directory of the agent was open to other users: its mode is 0700 now", { directory });
}

/** Whether what has this name, in the directory of the vault, is this agent's. */
export function isOwn(name: string, paths: StatePaths): boolean {
  const stem = basename(paths.journal, ".journal");
  return name === stem || name.startsWith(`${stem}.`) || name === basename(paths.adminToken);
}
