import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { describeError } from "./log.ts";

/** What the agent keeps on disk, all of it beside the vault file. */
export interface StatePaths {
  vault: string;
  journal: string;
  lock: string;
  adminToken: string;
  /** Where the admin API of the running agent listens. */
  adminUrl: string;
  /** For executors: what outlives a job, such as pinned host keys. */
  executorState: string;
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
    executorState: `${stem}.state`,
  };
}

/** Makes the directories, readable by this user alone. Throws StartRefused when it may not. */
export async function makeStateDirectories(paths: StatePaths): Promise<void> {
  try {
    await mkdir(dirname(paths.vault), { recursive: true, mode: 0o700 });
    await mkdir(paths.executorState, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new StartRefused(
      EXIT.cannotCreate,
      `cannot make the directory of the vault (${describeError(error)}): ` +
        "let VAULT_PATH name a file in a directory that this user may write to",
      { cause: error },
    );
  }
}
