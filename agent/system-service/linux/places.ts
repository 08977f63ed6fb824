import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Directories that jobs cannot see, or see empty, with the reason. */
const HIDDEN = [
  [["/home", "/root", "/run/user"], "the units hide it (ProtectHome=yes)"],
  [["/tmp", "/var/tmp"], "each job has an empty one instead (PrivateTmp=yes)"],
  [["/proc", "/sys", "/dev"], "it belongs to the kernel"],
] as const;

/** Why jobs cannot see a path; null when the units show it. */
export function whyHidden(path: string): string | null {
  return HIDDEN.find(([roots]) => roots.some((root) => isWithin(path, root)))?.[1] ?? null;
}

/** The parent directories of a path that an account cannot enter, outermost first. `gid`: a group of the account. */
export function closedParents(path: string, gid: number | null = null): string[] {
  const parent = dirname(path);
  if (parent === path) return [];
  const found = statSync(parent, { throwIfNoEntry: false });
  const isOpen = found === undefined || (found.mode & (gid !== null && found.gid === gid ? 0o010 : 0o001)) !== 0;
  return [...closedParents(parent, gid), ...(isOpen ? [] : [parent])];
}

export function isWithin(path: string, directory: string): boolean {
  return `${path}/`.startsWith(directory === "/" ? "/" : `${directory}/`);
}

/** The target of a path, as far as the path exists. */
export function followed(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole)) return realpathSync(whole);
  const parent = dirname(whole);
  return resolve(followed(parent), whole.slice(parent.length).replace(/^\//u, ""));
}
