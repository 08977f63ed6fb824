import { dlopen, FFIType } from "bun:ffi";
import { isJobUid } from "../isolation/job-uids.ts";
import { removeFiles } from "./left-files.ts";

/** The agent's command that ends an account's processes and removes its files; see agent/main.ts. */
export const END_ACCOUNT_COMMAND = "end-account";

const SIGKILL = 9;
/** An account of no job: a process with this real and saved uid gets no signal from a job. */
const NOT_OF_A_JOB = 65_533;

/**
 * Ends all processes of a job's account in one system call. Ended one by one, they could start new ones meanwhile, and
 * could kill a process of their account first. Then removes the account's files where every account may make files.
 * This process gives up root for both.
 */
export function endAccount(uid: number): void {
  const { i32, u32, u64, pointer } = FFIType;
  const { setgroups, setresgid, setresuid, kill } = dlopen("libc.so.6", {
    setgroups: { args: [u64, pointer], returns: i32 },
    setresgid: { args: [u32, u32, u32], returns: i32 },
    setresuid: { args: [u32, u32, u32], returns: i32 },
    kill: { args: [i32, i32], returns: i32 },
  }).symbols;
  if (!isJobUid(uid) || setgroups(0, null) !== 0 || setresgid(uid, uid, uid) !== 0) return;
  if (setresuid(NOT_OF_A_JOB, uid, NOT_OF_A_JOB) !== 0) return;
  // As root, kill(-1) would end every process.
  if (process.geteuid?.() !== uid || process.getuid?.() !== NOT_OF_A_JOB) return;
  kill(-1, SIGKILL);
  removeFiles(uid);
}
