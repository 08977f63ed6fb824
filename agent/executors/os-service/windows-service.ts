import { z } from "zod";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { programsHere } from "../../programs/here.ts";
import { findInterpreter, interpreterMissing } from "../script/interpreters.ts";
import { inheritedEnvironment } from "../shared/environment.ts";
import { ExecutorFailure, invalidParams, jobEnded } from "../shared/failures.ts";
import { type ProgramEnd, runProcessGroup } from "../shared/process-group.ts";
import { streamsOutput } from "../shared/streams-output.ts";
import type { ServiceVerb } from "./unit-state.ts";
import { said } from "./systemd.ts";
import { WINDOWS_SERVICE_SCRIPT } from "./windows-script.ts";

const NAME_MAX_CHARS = 256;
const CHECK_TIMEOUT_MS = 15_000;
/** Windows' service states as systemd's. */
const STATES: Readonly<Record<string, string>> = {
  Running: "active",
  Stopped: "inactive",
  StartPending: "activating",
  StopPending: "deactivating",
  ContinuePending: "activating",
};
/** The last line of the script's stdout. */
const answerSchema = z.object({
  code: z.string().regex(/^[a-z_]+$/u),
  message: z.string(),
  service: z.string(),
  status: z.string(),
  stopped: z.array(z.string()),
});

/**
 * Starts, stops or restarts a Windows service with a fixed PowerShell script, which gets the name as an environment
 * variable. Output and failures are those of `controlUnit`, and `service_disabled` and `interpreter_missing`.
 */
export async function controlWindowsService(
  verb: ServiceVerb,
  service: string,
  context: ExecutorContext,
): Promise<JsonObject> {
  // oxlint-disable-next-line no-control-regex -- what no name of a service holds
  if (/[\u0000-\u001f/\\]/u.test(service) || service.length > NAME_MAX_CHARS) {
    throw invalidParams(
      "service is not the name of a Windows service: it has control characters, / or \\, or is too long.",
    );
  }
  const end = await runScript(verb, service, context);
  const output = streamsOutput(end.streams, end.aborted ? null : end.exitCode);
  if (end.aborted) {
    throw jobEnded(`PowerShell was ended, but Windows continues its operation on ${service}.`, output);
  }
  const answer = readAnswer(end);
  const state = { service: answer.service, activeState: STATES[answer.status] ?? "unknown", subState: answer.status };
  const full = { ...output, ...state, ...(answer.stopped.length === 0 ? {} : { dependents: answer.stopped }) };
  if (answer.code === "ok" && end.exitCode === 0) return full;
  throw new ExecutorFailure(answer.code === "ok" ? "service_failed" : answer.code, answer.message, full);
}

export async function checkWindowsServices(context: ExecutorContext): Promise<ConnectionCheck> {
  const name = "Service manager";
  try {
    const bounded = AbortSignal.any([context.signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
    const end = await runScript("list", "", { ...context, signal: bounded });
    if (end.aborted)
      return {
        name,
        ok: false,
        detail: "PowerShell did not list the services in time. Try Get-Service on the machine.",
      };
    const { code, message } = readAnswer(end);
    return { name, ok: code === "ok", detail: message };
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return { name, ok: false, detail: error.message };
  }
}

async function runScript(
  verb: ServiceVerb | "list",
  service: string,
  { settings, signal }: Pick<ExecutorContext, "settings" | "signal">,
): Promise<ProgramEnd> {
  const environment = inheritedEnvironment();
  const interpreter = findInterpreter("powershell", environment);
  if (interpreter === null) throw interpreterMissing("powershell");
  // Variables are data: PowerShell never parses them as code.
  const given = {
    BELLHOP_VERB: verb,
    BELLHOP_SERVICE: service,
    BELLHOP_OWN_PROCESSES: `${process.pid},${process.ppid}`,
  };
  return await runProcessGroup(programsHere(settings.stateDirectory).start, interpreter, {
    env: { ...environment, ...given },
    script: { fileName: "service.ps1", text: WINDOWS_SERVICE_SCRIPT },
    signal,
    secrets: [],
  });
}

function readAnswer(end: ProgramEnd): z.infer<typeof answerSchema> {
  const line = end.streams.stdout.read().text.trimEnd().split(/\r?\n/u).at(-1) ?? "";
  try {
    return answerSchema.parse(JSON.parse(line));
  } catch {
    const message = `PowerShell ended with exit code ${end.exitCode} and without an answer. ${said(end)}`;
    throw new ExecutorFailure("service_failed", message, streamsOutput(end.streams, end.exitCode));
  }
}
