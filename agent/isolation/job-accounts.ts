import { dlopen, FFIType } from "bun:ffi";
import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../executors/shared/failures.ts";
import { endAccountOf } from "../programs/channels.ts";
import { hasFiles } from "../programs/left-files.ts";
import { ProgramError } from "../programs/program.ts";
import { jobUidsInUse, ownJobUids } from "./job-uids.ts";

/** Only root may open these files: a job that could open one could keep its number locked. */
const LOCKS = "/run/bellhop-job-uids";
const END_TRIES = 3;
const LOCK_EX = 2;
const LOCK_NB = 4;

export interface JobAccount {
  uid: number;
  /** Ends the job's processes and removes its files. The number is free again when nothing is left. */
  release(): Promise<void>;
}

/**
 * Takes a number that is used by no job of any agent on this machine, and by no process or file. The kernel releases
 * the lock when the agent ends in any way. Only root can take a number. Throws `job_process`.
 */
export async function takeJobAccount({ locks = LOCKS, random = Math.random } = {}): Promise<JobAccount> {
  const used = jobUidsInUse();
  for (const uid of ownJobUids(random)) {
    if (used.has(uid)) continue;
    const unlock = lock(locks, uid);
    if (unlock === null) continue;
    // A job of a killed agent may still be ending. It is not disturbed.
    if (!jobUidsInUse().has(uid) && (await leavesNothing(uid))) {
      const release = async (): Promise<void> => {
        if (await leavesNothing(uid)) unlock();
      };
      return { uid, release };
    }
    unlock();
  }
  throw new ProgramError("job_process", "all numbers of accounts for jobs are in use");
}

async function leavesNothing(uid: number): Promise<boolean> {
  const isClear = async () => !jobUidsInUse().has(uid) && !(await hasFiles(uid));
  for (let tries = 0; tries < END_TRIES; tries += 1) {
    if (await isClear()) return true;
    await endAccountOf(uid);
  }
  return isClear();
}

/** Null while another job has the number. */
function lock(directory: string, uid: number): (() => void) | null {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    if (statSync(directory).uid !== 0) throw new Error(`${directory} does not belong to root`);
    chmodSync(directory, 0o700);
    const descriptor = openSync(join(directory, String(uid)), "a", 0o600);
    const unlock = (): void => closeSync(descriptor);
    if (libc().flock(descriptor, LOCK_EX | LOCK_NB) === 0) return unlock;
    unlock();
    return null;
  } catch (error) {
    const what = `no account can be locked for a job (${errorMessage(error)})`;
    throw new ProgramError("job_process", `${what}: let root write to /run`);
  }
}

let loaded: ReturnType<typeof open> | null = null;

function libc(): ReturnType<typeof open>["symbols"] {
  loaded ??= open();
  return loaded.symbols;
}

function open() {
  return dlopen("libc.so.6", { flock: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } });
}
