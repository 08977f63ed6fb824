import { adoptEnvironment, commandEnvironment, hostFacts, serviceEnvFile } from "../commands/environment.ts";
import type { CommandEnvironment } from "../commands/environment.ts";
import { asksForHelp, parseOptions } from "../commands/options.ts";
import { orRefused } from "../commands/refused-command.ts";
import type { Environment } from "../config.ts";
import { EXIT, StartRefused } from "../exit-codes.ts";
import { Masker } from "../jobs/masker.ts";
import { formsOf } from "../mask-forms.ts";
import { statePaths } from "../paths.ts";
import { AGENT_VERSION } from "../version.ts";
import { checkAgentProcess } from "./agent-process.ts";
import type { Check } from "./check.ts";
import { checksNamed, failed } from "./check.ts";
import { checkConfiguration } from "./configuration.ts";
import type { Usable } from "./configuration.ts";
import { checkHost, checkSystem } from "./host.ts";
import { checkJournal } from "./journal.ts";
import { checksAsJson, describeChecks } from "./report.ts";
import { checkRoute } from "./route.ts";
import { checkService } from "./service.ts";
import { checkVault } from "./vault.ts";

const HELP = `Usage: bellhop-agent doctor [--json] [--env-file <path>]
Looks at the installation and prints one line for each thing: ok, warn, fail or skip, what was found, and what to do.
It changes nothing, and the agent that runs goes on. Run it as the agent's user, with the agent's environment; where
neither AGENT_API_URL nor AGENT_API_KEY is set, it takes the file of the installed service. No line shows a secret.

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
    const { environment, problem } = environmentOf(options.value("env-file"));
    const code = await adoptEnvironment(environment, ["doctor", ...args]);
    if (code !== null) return code;
    const checks = [...problem, ...(await examine(environment))].map(masked(environment.env));
    const asJson = () => checksAsJson(checks, { version: AGENT_VERSION, now: Date.now() });
    process.stdout.write(options.has("json") ? asJson() : describeChecks(checks));
    return failed(checks) ? EXIT.failed : EXIT.ok;
  });
}

/** A file that cannot be read is one more thing that is wrong: the other checks go on without it. */
function environmentOf(file: string | null): { environment: CommandEnvironment; problem: Check[] } {
  try {
    return { environment: commandEnvironment(file, { orInstalled: true }), problem: [] };
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error;
    const check = checksNamed("configuration").fail(error.message, "mend the file; what follows is without it");
    return { environment: { env: process.env, file: null }, problem: [check] };
  }
}

async function examine(environment: CommandEnvironment): Promise<Check[]> {
  const { env } = environment;
  const { checks: configuration, usable } = checkConfiguration(environment, hostFacts());
  const ofService = environment.file === serviceEnvFile();
  const [service, state, host] = await Promise.all([
    examineService(usable, env),
    examineState(usable),
    checkHost({ ofService }),
  ]);
  return [checkSystem(), ...configuration, ...service, ...state, ...host];
}

async function examineService({ apiUrl, apiKey }: Usable, env: Environment): Promise<Check[]> {
  if (apiUrl === null) return [checksNamed("service").skip("not asked: AGENT_API_URL is not usable")];
  const { checks, open } = await checkRoute(apiUrl, env);
  if (!open) return [...checks, checksNamed("service").skip("not asked: it cannot be reached")];
  return [...checks, ...(await checkService(apiUrl, apiKey))];
}

async function examineState(usable: Usable): Promise<Check[]> {
  const { local, adminPort, wake, apiKey } = usable;
  const paths = statePathsOf(usable);
  if (local === null || paths === null) return [checksNamed("vault").skip("not looked at: VAULT_PATH is not usable")];
  const { checks, isRunning } = await checkAgentProcess({ local, adminPort, wake }, paths);
  const vault = await checkVault(paths.vault, apiKey);
  return [...checks, ...vault, ...(await checkJournal(paths.journal, { isRunning }))];
}

function statePathsOf({ local }: Usable) {
  return local === null ? null : statePaths(local.vaultPath);
}

/** Whatever an error's text or a proxy's answer repeats: the secrets of the configuration are in no line. */
function masked(env: Environment): (check: Check) => Check {
  const proxies = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].flatMap((name) => {
    const text = env[name]?.trim() ?? "";
    if (!URL.canParse(text)) return [text];
    const { password } = new URL(text);
    return [password, decoded(password)];
  });
  const token = env["ADMIN_TOKEN"]?.trim() ?? "";
  // A short one may be a word like any other.
  const secrets = [env["AGENT_API_KEY"]?.trim() ?? "", token.length < SHORT_TOKEN_CHARS ? "" : token, ...proxies];
  const masker = new Masker();
  masker.setForms(secrets.flatMap((secret) => [...formsOf(secret)]));
  return ({ found, advice, ...check }) => ({
    ...check,
    found: masker.text(found),
    advice: advice === null ? null : masker.text(advice),
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
