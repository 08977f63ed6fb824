import type { AdminServer } from "./admin-server.ts";
import { forgetAdminUrl } from "./admin/address.ts";
import { sleep } from "./clock.ts";
import type { AgentConfig } from "./config.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { processMarkOf } from "./jobs/process-mark.ts";
import { Journal } from "./journal/index.ts";
import type { ProcessLock } from "./journal/process-lock.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { StatePaths } from "./paths.ts";
import { forgetStatus } from "./status-file.ts";
import { OUTPUT_MAX_BYTES } from "../schema/limits.ts";
import { Vault } from "./vault/index.ts";

/** Space for the output, and for the error, ids, times and other lines of a job. */
const RESULT_BYTES = OUTPUT_MAX_BYTES + 64 * 1_024;
/** A disk that hangs must not keep the process from ending. */
const CLOSE_MS = 5_000;

/** Throws StartRefused when the vault cannot be read. */
export function openVault(paths: StatePaths, options: Omit<ConstructorParameters<typeof Vault>[0], "path">): Vault {
  try {
    return new Vault({ path: paths.vault, ...options });
  } catch (error) {
    throw new StartRefused(EXIT.cannotCreate, `cannot read the vault ${paths.vault}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

/**
 * Ends the processes that a killed agent left behind before it resolves. Throws StartRefused when the journal cannot be
 * opened.
 */
export async function openJournal(
  paths: StatePaths,
  { maxConcurrentJobs, ...options }: Pick<AgentConfig, "maxConcurrentJobs"> & JournalPorts,
): Promise<Journal> {
  try {
    return await Journal.open({
      path: paths.journal,
      ...options,
      reserveBytes: maxConcurrentJobs * RESULT_BYTES,
      endLeftover: async (journalId, entry) => {
        const { endLeftover } = await import("./programs/marked-processes.ts");
        return endLeftover(processMarkOf(journalId, entry));
      },
    });
  } catch (error) {
    throw new StartRefused(EXIT.cannotCreate, `cannot open the journal ${paths.journal}: ${describeError(error)}`, {
      cause: error,
    });
  }
}

interface JournalPorts {
  log: Log;
  now: () => number;
  newId: () => string;
}

export interface OpenFiles {
  admin: AdminServer;
  journal: Journal;
  lock: ProcessLock;
  paths: StatePaths;
}

/** Closes the agent's files and its admin API, the lock last. */
export async function closeFiles({ admin, journal, lock, paths }: OpenFiles): Promise<void> {
  await admin.stop();
  forgetAdminUrl(paths.adminUrl);
  forgetStatus(paths.status);
  await Promise.race([journal.close(), sleep(CLOSE_MS, new AbortController().signal)]);
  lock.release();
}
