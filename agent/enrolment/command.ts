import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ENROLMENT_CODE_VARIABLE } from "../../schema/contract/agent.ts";
import { agentReader } from "../../schema/settings/agent.ts";
import { hasCode, syncDirectory } from "../atomic-file.ts";
import { hostFacts } from "../commands/environment.ts";
import { asksForHelp, parseOptions } from "../commands/options.ts";
import { orRefused } from "../commands/refused-command.ts";
import { readLocalConfig } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { askForKey } from "../system-service/api-key.ts";
import { enrolmentCodeIn, requireEnrolmentCode } from "./code.ts";
import { enrol } from "./enrol.ts";

const HELP = `Usage: bellhop-agent enrol [--url <address>] [--key-file <path>]
Exchanges the enrolment code of a new agent for the agent's key, and writes the key to a new file that only this account
can read. For an agent without service install, such as in a container: service install takes the code itself.

The code is in ${ENROLMENT_CODE_VARIABLE}, or on standard input, or the answer to a question; never on the command line.

  --url <address>     the deployment's address (AGENT_API_URL)
  --key-file <path>   the file to write (AGENT_API_KEY_FILE; agent.key next to the vault)
`;

/** `bellhop-agent enrol`; returns the exit code. */
export function enrolCommand(args: readonly string[]): Promise<number> {
  return orRefused(async () => {
    if (asksForHelp(args)) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    const { apiUrl, path } = configured(args);
    const code = enrolmentCodeIn(process.env) ?? (await readCode());
    await writeNewKey(path, () => enrol(apiUrl, code));
    process.stdout.write(
      `wrote the agent's key to ${path}\nStart the agent with AGENT_API_URL=${apiUrl} and AGENT_API_KEY_FILE=${path}\n`,
    );
    return EXIT.ok;
  });
}

function configured(args: readonly string[]): { apiUrl: string; path: string } {
  const options = parseOptions("enrol", args, { url: "value", "key-file": "value" });
  const url = options.value("url");
  const env = { ...process.env, ...(url === null ? {} : { AGENT_API_URL: url }) };
  const problems: string[] = [];
  const reader = agentReader(env, problems);
  const apiUrl = reader.need("AGENT_API_URL") ?? "";
  const keyFile = options.value("key-file") ?? reader.read("AGENT_API_KEY_FILE");
  const local = readLocalConfig(env, hostFacts());
  if (!local.ok) problems.push(...local.problems);
  if (problems.length > 0) {
    throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...problems].join("\n  "));
  }
  const beside = join(dirname(local.config.vaultPath), "agent.key");
  return { apiUrl, path: resolve(keyFile ?? beside) };
}

async function readCode(): Promise<string> {
  const text = await askForKey("The enrolment code (it is not shown): ");
  if (text !== null) return requireEnrolmentCode(text, "the enrolment code");
  throw new CommandRefused(
    EXIT.usage,
    `there is no enrolment code: set ${ENROLMENT_CODE_VARIABLE}, or pass the code on standard input`,
  );
}

/** The file is made before the code is used: a code that was used cannot be used again. */
async function writeNewKey(path: string, keyOf: () => Promise<string>): Promise<void> {
  const file = await newFile(path);
  try {
    await file.writeFile(`${await keyOf()}\n`);
    await file.sync();
  } catch (error) {
    await rm(path);
    throw error;
  } finally {
    await file.close();
  }
  await syncDirectory(dirname(path));
}

async function newFile(path: string) {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, "wx", 0o400);
  } catch (error) {
    const problem = hasCode(error, "EEXIST")
      ? `${path} exists already. If this machine has no other use for that key, remove the file; or name another one with --key-file`
      : `${path} cannot be written (${describeError(error)})`;
    throw new CommandRefused(EXIT.cannotCreate, problem, { cause: error });
  }
}
