import { readFileSync } from "node:fs";
import { agentKeySchema } from "../schema/contract/agent.ts";
import { EXIT, StartRefused } from "./exit-codes.ts";
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
