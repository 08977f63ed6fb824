import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { DatabaseState } from "./connection.ts";

/**
 * `synchronous=FULL` for many concurrent writers: SQLite's own FULL would block every client for each commit. SQLite
 * runs with NORMAL, which orders all other writes (log before file, header before frames); a commit is in the log but
 * not yet on the disk, and one sync of the log, off the thread, covers all earlier commits. No answer, not even a
 * reader's, leaves before its sync, so no client sees data that a power cut could undo.
 */
export class LogSync {
  readonly #state: DatabaseState;
  readonly #sync: () => Promise<void>;
  #syncedCommits: number;
  #running: Promise<void> | undefined;

  /** All of `state` up to now counts as synced. */
  constructor(state: DatabaseState, sync: () => Promise<void>) {
    this.#state = state;
    this.#sync = sync;
    this.#syncedCommits = state.commitCount;
  }

  get isBehind(): boolean {
    return this.#syncedCommits < this.#state.commitCount;
  }

  /** Resolves when every commit made so far is on the disk. Rejects when the disk fails, and from then on. */
  async catchUp(): Promise<void> {
    const commits = this.#state.commitCount;
    while (this.#syncedCommits < commits) await (this.#running ??= this.#run());
  }

  /** A failed sync is never forgotten: after an error the system may drop the unwritten data and report success. */
  async #run(): Promise<void> {
    const commits = this.#state.commitCount;
    await this.#sync();
    this.#syncedCommits = commits;
    this.#running = undefined;
  }
}

/**
 * The write-ahead log of a database, for syncing. The log must exist, and a connection must stay open meanwhile: SQLite
 * removes the log with the last connection. SQLite has no locks on this file, so closing it releases none.
 */
export function openLog(databaseFile: string): { sync(): Promise<void>; close(): void } {
  const log = openSync(`${databaseFile}-wal`, "r+");
  const syncData = promisify(fdatasync);
  return { sync: () => syncData(log), close: () => closeSync(log) };
}
