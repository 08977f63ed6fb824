import { agentKeySchema, enrolmentCodeSchema } from "../../schema/contract/agent.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { readCapped } from "../credentials/read-secrets.ts";
import { askTerminal } from "../credentials/terminal.ts";
import { EXIT } from "../exit-codes.ts";
import { readFileSync } from "node:fs";
import { describeError } from "../log.ts";

/** Reads the key, or an enrolment code, from a file, or from standard input for `-`. Errors never contain what was read. */
export async function keyFromFile(path: string): Promise<string> {
  const key = (path === "-" ? await readInput() : readKeyFile(path)).trim();
  if (agentKeySchema.safeParse(key).success || enrolmentCodeSchema.safeParse(key).success) return key;
  throw new CommandRefused(
    EXIT.badInput,
    `${path === "-" ? "standard input" : path} must contain only an agent key, of the form bh<10 characters>_<43 characters>, or an enrolment code, bhe_<43 characters>`,
  );
}

/** Asks at the terminal, or reads piped input. Null when there is no key. */
export async function askForKey(
  question = "The agent's key or enrolment code (it is not shown): ",
): Promise<string | null> {
  if (process.stdin.isTTY) {
    const answer = await askTerminal(question, { echo: false });
    return answer.trim() === "" ? null : answer.trim();
  }
  const key = (await readInput()).trim();
  return key === "" ? null : key;
}

async function readInput(): Promise<string> {
  return Buffer.from(await readCapped(Bun.stdin.stream())).toString("utf8");
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new CommandRefused(EXIT.badInput, `--key-file: ${path} cannot be read (${describeError(error)})`, {
      cause: error,
    });
  }
}
