import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describeError } from "../log.ts";
import type { Log } from "../log.ts";

const OWN_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}$/u;

/** Says to `bellhop-agent credentials` where this agent's admin API listens, above all with ADMIN_PORT 0. */
export function noteAdminUrl(path: string, url: string, log: Log): void {
  try {
    rmSync(path, { force: true });
    writeFileSync(path, `${url}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    log.warning("the address of the admin API cannot be noted: bellhop-agent credentials needs ADMIN_PORT then", {
      path,
      error: describeError(error),
    });
  }
}

/** What the agent noted that runs, or the last one that ended in disorder; null when there is nothing. */
export function notedAdminUrl(path: string): string | null {
  try {
    const url = readFileSync(path, "utf8").trim();
    return OWN_URL.test(url) ? url : null;
  } catch {
    return null;
  }
}

export function forgetAdminUrl(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // A stale address is asked only while an agent holds the lock, and that one has written its own.
  }
}
