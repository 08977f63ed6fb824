import { readFileSync, statSync } from "node:fs";
import { agentKeySchema } from "../schema/contract/agent.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
import { inShell } from "./in-shell.ts";
import { describeError } from "./log.ts";

/** The agent's key in the file that AGENT_API_KEY_FILE names. Throws StartRefused; never repeats what it read. */
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
    `${path}, which AGENT_API_KEY_FILE names, does not hold an agent key alone, of the form bh<10 characters>_<43 characters>`,
  );
}

/** Where jobs have an account that is not the agent's, they must not be able to read its key either. Throws StartRefused. */
export function requireClosedKeyFile(path: string): void {
  const problem = openKeyFile(path, statSync(path));
  if (problem !== null)
    throw new StartRefused(EXIT.config, `${problem.what}, so jobs could read it: ${problem.repair}`);
}

/**
 * What is wrong with the rights of the file with the agent's key; null where no other account can read it. A credential of
 * systemd may show rights of the group root: the mask of an access list for the agent's account.
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
