import { CommandRefused } from "./credentials/refused.ts";
import { EXIT } from "./exit-codes.ts";
import { mustRun } from "./system-service/run-program.ts";

/** SIDs are the same in every language of Windows. */
export const SYSTEM_SID = "S-1-5-18";
const ADMINISTRATORS_SID = "S-1-5-32-544";
/** Everyone, interactive, authenticated users, users, guests. */
const GROUPS_OF_ALL_SIDS = ["S-1-1-0", "S-1-5-4", "S-1-5-11", "S-1-5-32-545", "S-1-5-32-546"];

export type MustRun = typeof mustRun;

/** Restricts directories to LocalSystem, administrators and the account of this process. Throws CommandRefused. */
export async function closeDirectories(directories: readonly string[], run: MustRun = mustRun): Promise<void> {
  const account = await ownSid(run);
  for (const directory of directories) {
    await run("icacls", icaclsArguments(directory, "directory", account), `closing ${directory} to other users`);
  }
}

/**
 * Access for LocalSystem, administrators and `account`: nothing is inherited, groups of all users lose their grants,
 * and the content of a directory gets the same access. An account that was granted access by name keeps it.
 */
export function icaclsArguments(path: string, kind: "directory" | "file", account = SYSTEM_SID): string[] {
  const rights = kind === "directory" ? "(OI)(CI)F" : "F";
  const granted = new Set([SYSTEM_SID, ADMINISTRATORS_SID, account]);
  return [
    path,
    "/inheritance:r",
    "/grant:r",
    ...[...granted].map((sid) => `*${sid}:${rights}`),
    "/remove:g",
    ...GROUPS_OF_ALL_SIDS.map((sid) => `*${sid}`),
  ];
}

/** A user may have made the directory before and would own it; an owner can change who has access. */
export async function takeDirectory(path: string, run: MustRun = mustRun): Promise<void> {
  await run("icacls", [path, "/setowner", `*${ADMINISTRATORS_SID}`, "/t", "/c", "/l"], `taking over ${path}`);
  await run("icacls", [path, "/reset", "/t", "/c", "/l"], `removing the rights of others on ${path}`);
  await run("icacls", icaclsArguments(path, "directory"), `closing ${path} to other users`);
}

async function ownSid(run: MustRun): Promise<string> {
  const toDo = "asking for the id of the agent's account";
  const user = await run("whoami", ["/user", "/fo", "csv", "/nh"], toDo);
  // "machine\name","S-1-5-21-…"
  const sid = /"(S-1-[\d-]+)"\s*$/u.exec(user)?.[1];
  if (sid !== undefined) return sid;
  throw new CommandRefused(EXIT.failed, `${toDo} failed: whoami did not name it`);
}
