import { type ActionParams, ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { steersPrograms } from "../../../schema/contract/variable-name.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "../executor.ts";
import { checkCredential } from "./check-credential.ts";
import { checkInterpreter } from "./check-interpreter.ts";
import { findInterpreter, INTERPRETERS, interpreterMissing, type Language } from "./interpreters.ts";
import { type Environment, jobEnvironment, mergedEnvironment, OWN_SYSTEM } from "../shared/environment.ts";
import {
  action,
  errorCode,
  errorMessage,
  ExecutorFailure,
  invalidParams,
  jobEnded,
  parsed,
} from "../shared/failures.ts";
import { MARK_VARIABLE } from "../../programs/marked-processes.ts";
import { runProcessGroup } from "../shared/process-group.ts";
import { secretVariables } from "../shared/secret-variables.ts";
import { finishedProgram, streamsOutput } from "../shared/streams-output.ts";
import { checkVariables, withTraceContext } from "../shared/variable-bounds.ts";

/** Otherwise a time-out would lose Python's buffered output, and a Latin-1 locale would change its input. */
const PYTHON_ENVIRONMENT = { PYTHONUNBUFFERED: "1", PYTHONIOENCODING: "utf-8", PYTHONUTF8: "1" };

/** Scripts on the agent's own host, on connections of type script and custom. */
export const executor: Executor<"script"> = {
  actions: {
    "script.bash": action((context) => runScript("bash", context)),
    "script.python": action((context) => runScript("python", context)),
    "script.powershell": action((context) => runScript("powershell", context)),
  },
  test,
};

async function runScript(language: Language, context: ExecutorContext): Promise<JsonObject> {
  const params = parsed(ACTIONS[`script.${language}`].params, context.params, "invalid_params");
  const environment = environmentOf(language, context, params);
  const interpreter = findInterpreter(language, jobEnvironment(context.programs), context.programs);
  if (interpreter === null) throw interpreterMissing(language);
  const secrets = [...formsOfSecrets(context.secrets ?? {}), ...formsOfSecrets(context.scriptSecrets)];
  const end = await runProcessGroup(context.programs.start, interpreter, {
    env: environment,
    cwd: params.workingDirectory,
    script: { fileName: INTERPRETERS[language].fileName, text: params.script },
    signal: context.signal,
    mark: context.processMark,
    secrets,
  }).catch((error: unknown) => explainSpawn(error, language));
  if (end.aborted) throw jobEnded("Its process group was ended.", streamsOutput(end.streams, null));
  return finishedProgram(language, { ...end, secrets });
}

/** For a repeated name the later value counts. Older services send `env` in the parameters, newer ones `values`. */
function environmentOf(
  language: Language,
  context: ExecutorContext,
  { env = {}, secretsFrom = "" }: ActionParams<"script.bash">,
): Environment {
  const scriptSecrets = secretVariables(context.scriptSecrets, secretsFrom);
  const given = [connectionVariables(context), scriptSecrets, env, context.values];
  const python = language === "python" ? PYTHON_ENVIRONMENT : {};
  const environment = mergedEnvironment(OWN_SYSTEM, jobEnvironment(context.programs), python, ...given);
  const whole = { ...environment, [MARK_VARIABLE]: context.processMark };
  checkVariables(mergedEnvironment(OWN_SYSTEM, ...given), OWN_SYSTEM, whole);
  return withTraceContext(whole, context, OWN_SYSTEM);
}

/** A custom connection's fields and secrets whose names can be variables. For a repeated name the secret counts. */
function connectionVariables({ connection, secrets }: ExecutorContext): Environment {
  if (connection.type !== "custom") return {};
  const { fields } = parsed(CONNECTION_CONFIGS.custom, connection.config, "invalid_config");
  const steering = Object.keys(fields).find((name) => steersPrograms(name, OWN_SYSTEM === "windows"));
  if (steering !== undefined) {
    const message = `The connection's field ${steering} would change how programs are found or started. Give it another name.`;
    throw new ExecutorFailure("invalid_config", message);
  }
  const texts = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  return { ...Object.fromEntries(texts), ...secretVariables(secrets ?? {}, connection.id) };
}

function explainSpawn(error: unknown, language: Language): never {
  if (errorCode(error) === "ENOENT") throw interpreterMissing(language);
  if (errorCode(error) === "wrong_directory") {
    throw invalidParams(`workingDirectory ${errorMessage(error)}. Create it there, or name another.`);
  }
  if (errorCode(error) !== "E2BIG") throw error;
  const message = `The values and variables together are too large for the system to pass to a program: ${errorMessage(error)}.`;
  throw new ExecutorFailure("values_too_large", `${message} Pass less data, or let the script fetch it.`);
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  for (const language of ["bash", "python", "powershell"] as const) {
    checks.push(await checkInterpreter(language, context));
  }
  if (context.connection.type === "custom") checks.push(checkCredential(context.secrets));
  return checks;
}
