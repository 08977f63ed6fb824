import { readFileSync } from "node:fs";

/** Whether the process that started this one has a secret in its environment, and this account may read it. On Linux alone. */
export function isInParentEnvironment(secret: string): boolean {
  try {
    return process.platform === "linux" && readFileSync(`/proc/${process.ppid}/environ`).includes(secret);
  } catch {
    return false;
  }
}
