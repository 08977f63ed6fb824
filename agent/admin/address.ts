import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";

const OWN_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}$/u;

/** Records for commands where this agent's admin API listens. With ADMIN_PORT 0 they cannot know the port. */
export function noteAdminUrl(path: string, url: string, log: Log): void {
  try {
    rmSync(path, { force: true });
    writeFileSync(path, `${url}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    log.warning(
      "the address of the admin API cannot be written to a file: bellhop-agent credentials does not find this agent",
      {
        path,
        error: describeError(error),
      },
    );
  }
}

/**
 * The address recorded by the running agent, or by one that was killed. Null without a record, and when another user
 * may have written it.
 */
export function notedAdminUrl(path: string): string | null {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const url = readFileSync(file, "utf8").trim();
    return isOwn(file, path) && OWN_URL.test(url) ? url : null;
  } catch {
    return null;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Root may use another user's agent, in that user's directory. On Windows access lists keep other users out. */
function isOwn(file: number, path: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const { uid, mode } = fstatSync(file);
  const mayBe = user === 0 ? [user, statSync(dirname(path)).uid] : [user];
  return mayBe.includes(uid) && (mode & 0o077) === 0;
}

export function forgetAdminUrl(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A stale address is read only while an agent holds the lock, and that agent has written its own.
  }
}
