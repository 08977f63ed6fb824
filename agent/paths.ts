import { chmod, mkdir, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { MustRun } from "./windows-access.ts";

/** The files that the agent keeps on disk, all of them next to the vault file. */
export interface StatePaths {
  vault: string;
  journal: string;
  lock: string;
  adminToken: string;
  /** Where the admin API of the running agent listens. */
  adminUrl: string;
  /** What the running agent records about itself after registering. */
  status: string;
  /** Files of executors that outlive a job, such as pinned host keys. */
  executorState: string;
}

const OPEN_TO_OTHERS = "other users may enter a directory of the agent";
/** Files of an installation on Windows next to the vault: the executable, its configuration, its log. */
const INSTALLED = /^(\.?bellhop-agent\b.*|agent\.(env|log).*|task\.xml)$/iu;

export interface StateOptions {
  /**
   * A command may run as another account than the agent. On Windows it does not change access to directories, because
   * the agent could lose its own access.
   */
  by?: "agent" | "command";
  platform?: NodeJS.Platform;
  /** Runs Windows programs. */
  run?: MustRun;
}

/** Two agents whose vault files have different names may share a directory. Each has its own journal and lock. */
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
 * Makes the directories, readable by this user only, and closes existing ones to others; logs a warning when it may not
 * close one. Throws StartRefused when it may not make them.
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

/** Other files in the directory may be meant for other users: then its owner has to decide. */
async function closeToOthers(directory: string, paths: StatePaths, log: Log): Promise<void> {
  const { mode, uid } = await stat(directory);
  if ((mode & 0o077) === 0) return;
  const isShared = directory !== paths.executorState && (await readdir(directory)).some((name) => !isOwn(name, paths));
  if (isShared || uid !== process.getuid?.()) {
    log.warning(
      `${OPEN_TO_OTHERS}, and it is not this agent's alone: let VAULT_PATH name a file in a separate directory, ` +
        "or close this one to them (chmod 700)",
      { directory },
    );
    return;
  }
  await chmod(directory, 0o700);
  log.info("a directory of the agent was open to other users: its mode is 0700 now", { directory });
}

/** Whether a file of this name, in the directory of the vault, belongs to this agent. */
export function isOwn(name: string, paths: StatePaths): boolean {
  const stem = basename(paths.journal, ".journal");
  return name === stem || name.startsWith(`${stem}.`) || name === basename(paths.adminToken);
}
