import { readFileSync } from "node:fs";

export const KEY_IN_PARENT =
  "jobs can read AGENT_API_KEY in the environment of the process that started the agent: give the key in a file " +
  "(AGENT_API_KEY_FILE), or start the agent without that process (exec)";

/** Whether the parent process has a secret in its environment that this account may read. Only on Linux. */
export function isInParentEnvironment(secret: string): boolean {
  try {
    return process.platform === "linux" && readFileSync(`/proc/${process.ppid}/environ`).includes(secret);
  } catch {
    return false;
  }
}
