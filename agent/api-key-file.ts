import { readFileSync, statSync } from "node:fs";
import { agentKeySchema } from "../schema/contract/agent.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { inShell } from "./in-shell.ts";
import { describeError } from "./log.ts";

/**
 * Reads the agent's key from the file that AGENT_API_KEY_FILE names. Throws StartRefused; its message never contains
 * what was read.
 */
export function readApiKeyFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (error) {
    const what = `cannot read ${path}, which AGENT_API_KEY_FILE names (${describeError(error)})`;
    throw new StartRefused(
      EXIT.config,
      `${what}: it holds the agent's key, and the agent's account must be able to read it`,
      {
        cause: error,
      },
    );
  }
  if (agentKeySchema.safeParse(text).success) return text;
  throw new StartRefused(
    EXIT.config,
    `${path}, which AGENT_API_KEY_FILE names, must contain only an agent key, of the form bh<10 characters>_<43 characters>`,
  );
}

/** Jobs that run as another account must not be able to read the key. Throws StartRefused. */
export function requireClosedKeyFile(path: string): void {
  const problem = openKeyFile(path, statSync(path));
  if (problem !== null)
    throw new StartRefused(EXIT.config, `${problem.what}, so jobs could read it: ${problem.repair}`);
}

/**
 * What is wrong with the permissions of the key file; null when no other account can read it. A systemd credential may
 * show permissions of the group root: these are the mask of an access list for the agent's account.
 */
export function openKeyFile(
  path: string,
  { mode, gid }: { mode: number; gid: number },
): { what: string; repair: string } | null {
  if ((mode & (gid === 0 ? 0o007 : 0o077)) === 0) return null;
  return {
    what: `${path} holds the agent's key and can be read by others (mode ${(mode & 0o7777).toString(8).padStart(4, "0")})`,
    repair: `close it: sudo chmod 400 ${inShell(path)}, and make a new key if another person may have seen this one`,
  };
}
