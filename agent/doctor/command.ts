import { AGENT_SETTINGS, agentReader, PROXY_SETTINGS } from "../../schema/settings/agent.ts";
import { namesOf } from "../../schema/settings/setting.ts";
import { adoptEnvironment, commandEnvironment, withKeyOfFile } from "../commands/environment.ts";
import type { CommandEnvironment } from "../commands/environment.ts";
import { asksForHelp, parseOptions } from "../commands/options.ts";
import { orRefused } from "../commands/refused-command.ts";
import type { Environment } from "../config.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { Masker } from "../jobs/masker.ts";
import { formsOf } from "../mask-forms.ts";
import { AGENT_VERSION } from "../version.ts";
import type { Check } from "./check.ts";
import { checksNamed, failed } from "./check.ts";
import { examine, examineOutside } from "./examine.ts";
import { checksAsJson, describeChecks } from "./report.ts";

const HELP = `Usage: bellhop-agent doctor [--json] [--env-file <path>]
Checks the installation and prints one line for each check: ok, warn, fail or skip, what was found, and what to do.
It changes nothing, and a running agent continues. For the installed service run it with sudo and without AGENT_API_URL
and AGENT_API_KEY: it takes the service's file. Otherwise run it as the agent's user, with the agent's environment. No
line shows a secret.

  --json             one object: {ok, at, version, checks: [{name, status, found, advice}]}
  --env-file <path>  the agent's configuration, as for run

Exit codes: 0 nothing failed, 1 something did.
`;

const SHORT_TOKEN_CHARS = 16;

/** `bellhop-agent doctor`. */
export function doctorCommand(args: readonly string[]): Promise<number> {
  return orRefused(async () => {
    if (asksForHelp(args)) {
      process.stdout.write(HELP);
      return EXIT.ok;
    }
    const options = parseOptions("doctor", args, { json: "flag", "env-file": "value" });
    const { environment, problem, isClosed, isRefused } = environmentOf(options.value("env-file"));
    const code = await adoptEnvironment(environment, ["doctor", ...args]);
    if (code !== null) return code;
    const found = isClosed
      ? await examineOutside(problem)
      : await examine(environment, { problem, fileIsRefused: isRefused });
    const checks = found.map(masked(environment.env));
    const asJson = () => checksAsJson(checks, { version: AGENT_VERSION, now: Date.now() });
    process.stdout.write(options.has("json") ? asJson() : describeChecks(checks));
    return failed(checks) ? EXIT.failed : EXIT.ok;
  });
}

interface Looked {
  environment: CommandEnvironment;
  problem: Check[];
  /** This user may not read the configuration file, and little can be checked without it. */
  isClosed: boolean;
  /** The environment lacks the settings of the configuration file, because the file is wrong. */
  isRefused: boolean;
}

/** A wrong file is one finding. The other checks run without it. */
function environmentOf(file: string | null): Looked {
  let environment: CommandEnvironment = { env: process.env, file: null, keyFile: null };
  let isRefused = true;
  try {
    environment = commandEnvironment(file, { orInstalled: true });
    isRefused = false;
    const env = withKeyOfFile(environment.env);
    return { environment: { ...environment, env }, problem: [], isClosed: false, isRefused };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    const isClosed = error.exitCode === EXIT.notAllowed;
    const advice = isClosed
      ? "the checks below are those that every user may make"
      : "correct the file; the checks below ignore it";
    return { environment, problem: [checksNamed("configuration").fail(error.message, advice)], isClosed, isRefused };
  }
}

/** Masks the configuration's secrets in every line: an error's text or a proxy's answer may repeat one. */
function masked(env: Environment): (check: Check) => Check {
  const secrets = namesOf(AGENT_SETTINGS, "secret").flatMap((name) => {
    const text = agentReader(env).text(name) ?? "";
    // A short token may be an ordinary word.
    if (name === "ADMIN_TOKEN" && text.length < SHORT_TOKEN_CHARS) return [];
    const proxy = PROXY_SETTINGS.find((known) => known === name);
    return [proxy === undefined ? text : (agentReader(env).read(proxy) ?? text)];
  });
  const masker = new Masker();
  masker.setForms(secrets.flatMap((secret) => [...formsOf(secret)]));
  return ({ found, advice, ...check }) => ({
    ...check,
    found: masker.text(found),
    advice: advice === null ? null : masker.text(advice),
  });
}
