import { ACTIONS } from "../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { formsOfSecrets } from "../mask-forms.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "./executor.ts";
import { findInterpreter, INTERPRETERS, interpreterMissing, type Language } from "./script/interpreters.ts";
import { checkWorkingDirectory, writeScript } from "./script/script-file.ts";
import { checkVariables, type Environment, inheritedEnvironment, isVariableName } from "./shared/environment.ts";
import { action, errorCode, errorMessage, invalidParams, jobEnded, parsed } from "./shared/failures.ts";
import { runProcessGroup } from "./shared/process-group.ts";
import { finishedProgram, streamsOutput } from "./shared/streams-output.ts";

const VERSION_TIMEOUT_MS = 10_000;
/** Without these a time-out would lose what Python had printed, and a service without a locale its letters. */
const PYTHON_ENVIRONMENT = { PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8" };

/** Scripts on the agent's own host, on connections of type script and custom. */
export const executor: Executor = {
  actions: {
    "script.bash": action((context) => runScript("bash", context)),
    "script.python": action((context) => runScript("python", context)),
    "script.powershell": action((context) => runScript("powershell", context)),
  },
  test,
};

async function runScript(language: Language, context: ExecutorContext): Promise<JsonObject> {
  const params = parsed(ACTIONS[`script.${language}`].params, context.params, "invalid_params");
  const given = { ...connectionVariables(context), ...params.env, ...context.values };
  checkVariables(given);
  const environment = { ...inheritedEnvironment(), ...(language === "python" ? PYTHON_ENVIRONMENT : {}), ...given };
  const interpreter = findInterpreter(language, inheritedEnvironment());
  if (interpreter === null) throw interpreterMissing(language);
  if (params.workingDirectory !== undefined) await checkWorkingDirectory(params.workingDirectory);

  await using script = await writeScript(
    context.settings.stateDirectory,
    INTERPRETERS[language].fileName,
    params.script,
  );
  const secrets = formsOfSecrets(context.secrets ?? {});
  const end = await runProcessGroup([...interpreter, script.file], {
    env: environment,
    cwd: params.workingDirectory ?? script.directory,
    signal: context.signal,
    secrets,
  }).catch(explainSpawn);
  if (end.aborted) throw jobEnded("Its process group was ended.", streamsOutput(end.streams, null));
  return finishedProgram(language, { ...end, secrets });
}

/** A custom connection's fields and secrets, those whose names can be variables. */
function connectionVariables(context: ExecutorContext): Environment {
  if (context.connection.type !== "custom") return {};
  const { fields } = parsed(CONNECTION_CONFIGS.custom, context.connection.config, "invalid_config");
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const secrets = Object.entries(context.secrets ?? {}).filter(([name]) => isVariableName(name));
  return { ...Object.fromEntries(texts), ...Object.fromEntries(secrets) };
}

function explainSpawn(error: unknown): never {
  if (errorCode(error) !== "E2BIG") throw error;
  const message = `The values and variables are together more than the system passes to a program: ${errorMessage(error)}.`;
  throw invalidParams(`${message} Pass less, or let the script fetch it.`);
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  for (const language of ["bash", "python", "powershell"] as const) {
    checks.push(await checkInterpreter(language, context));
  }
  if (context.connection.type === "custom") checks.push(checkSecretNames(context));
  return checks;
}

async function checkInterpreter(language: Language, context: ExecutorContext): Promise<ConnectionCheck> {
  const environment = inheritedEnvironment();
  const interpreter = findInterpreter(language, environment);
  const needed = language === (process.platform === "win32" ? "powershell" : "bash");
  if (interpreter === null) {
    const detail = `Not installed: script.${language} cannot run here. ${INTERPRETERS[language].install} if workflows use it.`;
    return { name: language, ok: !needed, detail };
  }
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(VERSION_TIMEOUT_MS)]);
  const command = [interpreter[0], ...INTERPRETERS[language].versionArguments];
  const end = await runProcessGroup(command, { env: environment, signal, secrets: [] });
  const said = `${end.streams.stdout.read().text}${end.streams.stderr.read().text}`.trim().split("\n")[0] ?? "";
  if (end.exitCode === 0) return { name: language, ok: true, detail: `${said} (${interpreter[0]})` };
  const detail = `${interpreter[0]} is there but does not start (exit code ${end.exitCode}): ${said}. Repair or reinstall it.`;
  return { name: language, ok: false, detail };
}

function checkSecretNames(context: ExecutorContext): ConnectionCheck {
  const name = "Environment variables";
  const names = Object.keys(context.secrets ?? {});
  const unusable = names.filter((secret) => !isVariableName(secret));
  if (unusable.length > 0) {
    const detail = `These secrets reach no script, because their names cannot be variables: ${unusable.join(", ")}. Deliver them under names of letters, digits and _.`;
    return { name, ok: false, detail };
  }
  return {
    name,
    ok: true,
    detail: names.length === 0 ? "No secrets delivered." : `Scripts find: ${names.join(", ")}.`,
  };
}
