import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { DatabaseState } from "./connection.ts";

/**
 * `synchronous=FULL` for many writers at once. SQLite's own would hold up every client for each commit; here SQLite
 * runs with NORMAL, where a commit is in the log but not yet on the disk, and one sync of the log, off the thread,
 * stands for all commits before it. No answer leaves before its sync, a reader's neither, so that nobody is told
 * what a power cut could still undo. The order of everything else (log before file, header before frames) is NORMAL's.
 */
export class LogSync {
  readonly #state: DatabaseState;
  readonly #sync: () => Promise<void>;
  #syncedCommits: number;
  #running: Promise<void> | undefined;

  /** Everything in `state` so far counts as synced. */
  constructor(state: DatabaseState, sync: () => Promise<void>) {
    this.#state = state;
    this.#sync = sync;
    this.#syncedCommits = state.commitCount;
  }

  get isBehind(): boolean {
    return this.#syncedCommits < this.#state.commitCount;
  }

  /** Resolves when every commit made until now is on the disk. Rejects when the disk refuses, and from then on. */
  async catchUp(): Promise<void> {
    const commits = this.#state.commitCount;
    while (this.#syncedCommits < commits) await (this.#running ??= this.#run());
  }

  /** A failed run is never forgotten: after an error the system may drop what it could not write and report success. */
  async #run(): Promise<void> {
    const commits = this.#state.commitCount;
    await this.#sync();
    this.#syncedCommits = commits;
    this.#running = undefined;
  }
}

/**
 * The write-ahead log of a database, for syncing. It must exist, and some connection must stay open meanwhile: SQLite
 * removes the log with its last one. SQLite's locks are not on this file, so that closing it releases none.
 */
export function openLog(databaseFile: string): { sync(): Promise<void>; close(): void } {
  const log = openSync(`${databaseFile}-wal`, "r+");
  const syncData = promisify(fdatasync);
  return { sync: () => syncData(log), close: () => closeSync(log) };
}
