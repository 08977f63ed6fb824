import { existsSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFormat } from "../state-format.ts";
import { requireIntact } from "./copy-database.ts";
import { endInFlight, emptyQueues } from "./end-in-flight.ts";
import { sumOf, syncDirectory, syncFile } from "./files.ts";
import { requireStopped } from "./is-live.ts";
import { readManifest } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";
import { putAside } from "./put-aside.ts";
import { Refused } from "./refused.ts";
import { DATABASE_DIRECTORY, DATABASE_FILE, OBJECTS_DIRECTORY, RESTORE_MARK, SQLD_FILE } from "./state.ts";
import { notifyObjectsAgain } from "./notify-objects-again.ts";

export interface RestoreOptions {
  /** The directory of one backup. */
  from: string;
  state: string;
  /**
   * What happens to executions that were running when the backup was made. How far they came afterwards is unknown, so
   * continuing may repeat their work. `end` ends them; `continue` is for a service that was stopped before the backup
   * and has not run since, and is refused with a backup of a running service.
   */
  inFlight: "end" | "continue";
  /** The server that gets the database; by default the one of the backup. */
  database?: Manifest["database"] | undefined;
  /** Epoch ms. */
  now: number;
  say(line: string): void;
}

/**
 * Replaces the contents of the state directory with a backup, and keeps the old contents next to it. Everything is
 * prepared and checked in another directory first; then two directories are renamed. Refuses while the service runs.
 * An interrupted restore leaves a mark. Until the restore is repeated, the mark keeps the database server from starting,
 * which would make an empty database.
 */
export async function restore({ from, state, inFlight, database, now, say }: RestoreOptions): Promise<void> {
  const manifest = await readManifest(from);
  if (inFlight === "continue" && manifest.whileRunning) {
    throw new Refused(
      "This backup was made while the service ran: its files are from different moments, and jobs that have run would " +
        "run again. Nothing was changed. Use --in-flight end, or stop the service, back up, and continue from that.",
    );
  }
  await mkdir(state, { recursive: true, mode: 0o700 });
  requireStopped(state);
  const prepared = join(state, ".restoring");
  const server = database ?? manifest.database;
  const owner = await stat(state);
  try {
    await prepare({ from, prepared, manifest, inFlight, now, say });
    if (server === "sqld") await giveToSqld(prepared);
    // The service may have been started in the meantime.
    requireStopped(state);
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    throw error;
  }
  const aside = await exchange(state, prepared, now);
  await giveTo(state, owner);
  await syncDirectory(state);
  if (aside !== null) say(`the former state is in ${aside}; remove it when you no longer need it`);
  say(
    `restored ${state} to ${manifest.startedAt}, for ${server === "sqld" ? "sqld" : "Bellhop's own database"}. Now start bellhop-libsql.service and bellhop.service.`,
  );
  say(
    "Agents, keys, tokens and accounts are as at the time of the backup: those that were revoked since are valid again. Revoke them again.",
  );
}

async function prepare({
  from,
  prepared,
  manifest,
  inFlight,
  now,
  say,
}: Pick<RestoreOptions, "from" | "inFlight" | "now" | "say"> & { prepared: string; manifest: Manifest }) {
  await rm(prepared, { recursive: true, force: true });
  await copyChecked(from, prepared, manifest);
  say(`checked ${manifest.files.length} files of the backup of ${manifest.startedAt}: complete and intact`);

  const database = join(prepared, DATABASE_FILE);
  if (inFlight === "end") {
    const { executions, jobs } = endInFlight(database, manifest, now);
    for (const { path } of manifest.files) if (path !== DATABASE_FILE) emptyQueues(join(prepared, path));
    say(
      executions === 0
        ? "no execution was running when it was made"
        : `ended ${executions} executions that were running when it was made, and withdrew ${jobs} jobs: status failed, error "restored"`,
    );
  } else {
    say("executions that were running continue from their state in the backup");
  }
  notifyObjectsAgain(database);
  await syncDirectory(dirname(database));
}

/** sqld makes its other files from this one. */
async function giveToSqld(prepared: string): Promise<void> {
  const file = join(prepared, SQLD_FILE);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await rename(join(prepared, DATABASE_FILE), file);
  await syncDirectory(dirname(file));
}

/**
 * Replaces the current contents with the prepared ones. Returns the new place of the old contents; null when there were
 * none.
 */
async function exchange(state: string, prepared: string, now: number): Promise<string | null> {
  const mark = join(state, RESTORE_MARK);
  await writeFile(mark, "", { mode: 0o600, flush: true });
  await syncDirectory(state);
  const aside = join(state, `before-restore-${new Date(now).toISOString().replaceAll(/[:.]/gu, "-")}`);
  const isKept = await putAside(state, aside);
  for (const directory of [DATABASE_DIRECTORY, OBJECTS_DIRECTORY]) {
    await rename(join(prepared, directory), join(state, directory));
  }
  writeFormat(state);
  await syncDirectory(state);
  await rm(mark);
  await rm(prepared, { recursive: true, force: true });
  return isKept ? aside : null;
}

async function copyChecked(from: string, prepared: string, { files }: Manifest): Promise<void> {
  await mkdir(join(prepared, OBJECTS_DIRECTORY), { recursive: true, mode: 0o700 });
  for (const { path, sha256 } of files) {
    const source = join(from, path);
    if (!existsSync(source)) throw new Refused(`The backup is incomplete: ${path} is missing. Use another backup.`);
    if ((await sumOf(source)) !== sha256) {
      throw new Refused(`The backup is damaged: ${path} differs from the file that was backed up. Use another backup.`);
    }
    const copy = join(prepared, path);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    await copyFile(source, copy);
    await chmod(copy, 0o600);
    requireIntact(copy);
    await syncFile(copy);
  }
  if (!existsSync(join(prepared, DATABASE_FILE))) throw new Refused("The backup has no database. Use another backup.");
}

/** Root restores for the service's user: the new files get the owner of the state directory. */
async function giveTo(state: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  if (process.getuid?.() !== 0 || uid === 0) return;
  const chown = Bun.spawn(["chown", "-R", `${uid}:${gid}`, state], { stdout: "ignore", stderr: "pipe" });
  if ((await chown.exited) !== 0) throw new Error(`chown failed: ${await new Response(chown.stderr).text()}`);
}
