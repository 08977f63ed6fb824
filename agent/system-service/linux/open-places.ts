import { realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A path that an account other than the owners can change or replace. */
export interface OpenPlace {
  path: string;
  uid: number;
  gid: number;
  mode: number;
  /** `sticky`: as in /tmp, others may add names but not remove those of the owners. */
  to: "everyone" | "group" | "owner" | "sticky";
}

/**
 * The parts of a path that accounts other than `owners` can write: the path and all its parents, as written and as
 * resolved. An access list (ACL) counts, because the mode shows its mask as the rights of the group. Throws the
 * system's error.
 */
export async function openPlaces(path: string, owners: ReadonlySet<number>): Promise<OpenPlace[]> {
  const open: OpenPlace[] = [];
  for (const at of new Set([...withParents(path), ...withParents(await realpath(path))])) {
    const { uid, gid, mode } = await stat(at);
    const to = openTo(mode, owners.has(uid));
    if (to !== null) open.push({ path: at, uid, gid, mode, to });
  }
  return open;
}

function openTo(mode: number, isOwned: boolean): OpenPlace["to"] | null {
  if ((mode & 0o022) !== 0 && (mode & 0o1000) !== 0) return isOwned ? "sticky" : "owner";
  if ((mode & 0o002) !== 0) return "everyone";
  if ((mode & 0o020) !== 0) return "group";
  return isOwned ? null : "owner";
}

function withParents(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [path, ...withParents(parent)];
}
