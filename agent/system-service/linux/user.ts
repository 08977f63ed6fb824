import { existsSync, readFileSync } from "node:fs";
import { CommandRefused } from "../../credentials/refused.ts";
import { EXIT } from "../../exit-codes.ts";
import { mustRun, runProgram } from "../run-program.ts";
import { JOB_USER, STATE_DIRECTORY } from "./unit-file.ts";

/** Marks a user that install made, for uninstall. */
const COMMENT = "Bellhop agent";
const NAME = /^[a-z_][a-z0-9_-]{0,30}\$?$/u;

export function parseUser(name: string): string {
  if (name === JOB_USER) {
    throw new CommandRefused(
      EXIT.usage,
      `--user ${JOB_USER} would run the agent as the account of its jobs: name another`,
    );
  }
  if (NAME.test(name)) return name;
  throw new CommandRefused(EXIT.usage, "--user takes the name of a user, such as bellhop-agent or root");
}

export async function userExists(name: string): Promise<boolean> {
  return (await runProgram("getent", ["passwd", name])).code === 0;
}

/** Creates a user and a group without a password, a shell or a home. */
export async function createServiceUser(name: string): Promise<void> {
  const shell = ["/usr/sbin/nologin", "/sbin/nologin"].find((path) => existsSync(path)) ?? "/bin/false";
  const options = ["--system", "--user-group", "--home-dir", STATE_DIRECTORY, "--no-create-home", "--shell", shell];
  await mustRun("useradd", [...options, "--comment", COMMENT, name], `making the user ${name}`);
}

/** Removes a user that install made. Leaves another user of that name. */
export async function removeServiceUser(name: string): Promise<boolean> {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`));
  if (line?.split(":")[4] !== COMMENT) return false;
  await mustRun("userdel", [name], `removing the user ${name}`);
  return true;
}
