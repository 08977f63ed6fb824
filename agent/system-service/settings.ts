import { existsSync, readFileSync } from "node:fs";
import { agentKeySchema, enrolmentCodeSchema } from "../../schema/contract/agent.ts";
import { AGENT_SETTINGS, agentReader, KEY_FORM_PROBLEM } from "../../schema/settings/agent.ts";
import { namesOf } from "../../schema/settings/setting.ts";
import { parseEnvFile } from "../commands/env-file.ts";
import { readConfig } from "../config.ts";
import type { AgentConfig, Environment, HostFacts } from "../config.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { enrolmentCodeIn } from "../enrolment/code.ts";
import { enrol } from "../enrolment/enrol.ts";
import { mergedEnvText, withoutKey } from "./env-text.ts";

export interface Settings {
  config: AgentConfig;
  variables: Readonly<Record<string, string>>;
  /** The complete new text of the file. */
  text: string;
  /** The key to write to `keyFile`; null to leave that file unchanged. */
  newKey: string | null;
  changed: boolean;
  /** To be exchanged for the key by `enrolled`; until then PENDING_KEY is in the key's place. */
  enrolmentCode: string | null;
}

/** Has the form of a key, so that the other settings can be checked. No service gets it. */
const PENDING_KEY = `bh${"0".repeat(10)}_${"1".repeat(43)}`;

/**
 * The service's configuration: its file, overridden by the environment, overridden by `given`. Throws CommandRefused
 * with every problem, in the words of `run`.
 */
export async function gatherSettings(options: {
  path: string;
  env: Environment;
  given: Readonly<Record<string, string>>;
  defaults: Readonly<Record<string, string>>;
  host: HostFacts;
  /** A separate file for the key; null keeps the key among the settings. */
  keyFile: string | null;
  /** Called when no other source has the key. Null when there is none. */
  askKey: () => Promise<string | null>;
}): Promise<Settings> {
  const { path, env, given, defaults, host, keyFile, askKey } = options;
  const existing = existsSync(path) ? readFileSync(path, "utf8") : "";
  const dialect = host.platform === "win32" ? "windows" : "posix";
  const former = parseEnvFile(existing, dialect);
  if (!former.ok) refuseLines(path, former.problems);
  const taken = namesOf(AGENT_SETTINGS).flatMap((name) => {
    const value = agentReader(env).text(name);
    return value === null ? [] : [[name, value] as const];
  });
  const wanted: Record<string, string> = { ...defaults, ...former.variables, ...Object.fromEntries(taken), ...given };
  const codeOfEnv = enrolmentCodeIn(env);
  if (codeOfEnv !== null && given["AGENT_API_KEY"] === undefined) wanted["AGENT_API_KEY"] = codeOfEnv;
  if (wanted["AGENT_API_KEY"] === undefined && wanted["AGENT_API_KEY_FILE"] === undefined) {
    const key = await askKey();
    if (key !== null) wanted["AGENT_API_KEY"] = key;
  }
  const enrolmentCode = enrolmentCodeSchema.safeParse(wanted["AGENT_API_KEY"]).data ?? null;
  if (enrolmentCode !== null) wanted["AGENT_API_KEY"] = PENDING_KEY;
  const newKey = keyFile === null ? null : keyApart(wanted, keyFile);
  const text = newKey === null ? mergedEnvText(existing, wanted) : mergedEnvText(withoutKey(existing), wanted);
  const read = parseEnvFile(text, dialect);
  if (!read.ok) refuseLines(path, read.problems);
  const config = readConfig(read.variables, host);
  if (!config.ok) {
    throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...config.problems].join("\n  "));
  }
  return { config: config.config, variables: read.variables, text, newKey, changed: text !== existing, enrolmentCode };
}

/** The settings with the agent's key. Called directly before they are written: a code can be used only once. */
export async function enrolled(settings: Settings): Promise<Settings> {
  const { config, enrolmentCode, newKey, text } = settings;
  if (enrolmentCode === null) return settings;
  const key = await enrol(config.apiUrl, enrolmentCode);
  return { ...settings, newKey: newKey === null ? null : key, text: text.replaceAll(PENDING_KEY, key) };
}

/** Moves the key out of the settings, which then name its file. Throws CommandRefused. */
function keyApart(wanted: Record<string, string>, keyFile: string): string | null {
  const key = wanted["AGENT_API_KEY"];
  if (key === undefined) return null;
  if (!agentKeySchema.safeParse(key).success) {
    throw new CommandRefused(EXIT.config, `the configuration is wrong:\n  AGENT_API_KEY ${KEY_FORM_PROBLEM}`);
  }
  delete wanted["AGENT_API_KEY"];
  wanted["AGENT_API_KEY_FILE"] = keyFile;
  return key;
}

function refuseLines(path: string, problems: readonly { line: number; problem: string }[]): never {
  const lines = problems.map(({ line, problem }) => `${path}, line ${line}: ${problem}`);
  throw new CommandRefused(EXIT.config, ["the configuration is wrong:", ...lines].join("\n  "));
}
