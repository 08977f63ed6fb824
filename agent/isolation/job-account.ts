import { readFileSync } from "node:fs";
import { isJobUid } from "./job-uids.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";

export interface Account {
  uid: number;
  gid: number;
}

/** `JOB_USER`: the name or number of an account of this machine. Throws StartRefused. */
export function accountNamed(user: string): Account {
  const account = findAccount(user);
  if (account !== null) return account;
  throw new StartRefused(
    EXIT.config,
    `JOB_USER: there is no account ${user} on this machine. Create it, give the number of an account, or leave JOB_USER unset`,
  );
}

/** Like `accountNamed`; null when this machine has no account of that name. */
export function findAccount(user: string): Account | null {
  const number = /^\d{1,9}$/u.test(user) ? Number(user) : null;
  if (number !== null && isJobUid(number)) {
    throw new StartRefused(
      EXIT.config,
      `JOB_USER: ${user} is one of the numbers that the agent gives to single jobs. Choose another account, or leave JOB_USER unset`,
    );
  }
  const entry = entries("/etc/passwd").find(
    ([name, , uid]) => name === user || (number !== null && Number(uid) === number),
  );
  if (entry !== undefined) return { uid: Number(entry[2]), gid: Number(entry[3]) };
  return number === null ? null : { uid: number, gid: number };
}

/** The name of an account of this machine, or its number if it has no name. */
export function accountName(uid: number): string {
  return entries("/etc/passwd").find(([, , number]) => Number(number) === uid)?.[0] ?? String(uid);
}

/** The names of an account on this machine. Several names may share a number. */
export function userNames(uid: number): string[] {
  return entries("/etc/passwd").flatMap(([name = "", , number]) => (Number(number) === uid ? [name] : []));
}

/** The names of groups of this machine. A group without a name keeps its number. */
export function groupNames(gids: readonly number[]): string[] {
  const names = new Map(entries("/etc/group").map(([name = "", , gid]) => [Number(gid), name]));
  return gids.map((gid) => names.get(gid) ?? String(gid));
}

function entries(path: string): string[][] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => line.split(":"));
  } catch {
    return [];
  }
}
