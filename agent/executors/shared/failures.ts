import type { z } from "zod";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { ProgramError } from "../../programs/program.ts";
import type { ExecutorContext, ExecutorOutcome, RunAction } from "../executor.ts";

/**
 * Why an action could not be done, or was done and failed. Codes: `invalid_params`, `invalid_config`,
 * `value_not_representable`, `value_too_large`, `values_too_large`, `env_unsupported`, `credential_missing`,
 * `invalid_credential`, `unreachable`, `connection_lost`, `authentication_failed`, `host_key_changed`,
 * `known_hosts_unusable`, `remote_shell_failed`, `interpreter_missing`, `nonzero_exit`, `ended_by_signal`,
 * `target_changed`, `address_blocked`, `tls_error`, `invalid_response`, `http_status`, `redirect_not_followed`,
 * `timed_out`, `job_process`; for vendors' APIs also `no_answer`, `outcome_unknown`, `rate_limited`, `not_found`,
 * `permission_denied`, `not_in_channel`, `rejected`; for Kubernetes `conflict`, `deployment_paused`,
 * `revision_not_found`, `rollout_failed`, `container_required`, `not_observed`; for mail servers `recipients_refused`,
 * `message_refused`, `unsupported_auth`; for the host's services `service_not_found`, `service_masked`,
 * `service_disabled`, `service_failed`, `own_service`, `service_manager_missing`, `os_restart_not_allowed`,
 * `restart_already_scheduled`; for WinRM `unsupported_auth`, `quota_exceeded`, `winrm_fault`; for databases
 * `query_failed`, `read_only`; and `job_ended` when the runner aborted the job and knows the reason.
 */
export class ExecutorFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly output: JsonObject | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ExecutorFailure";
  }
}

/** Turns an `ExecutorFailure` into an outcome. Any other error is a fault of the agent, which the runner reports. */
export function action(run: (context: ExecutorContext) => Promise<JsonObject>): RunAction {
  return async (context): Promise<ExecutorOutcome> => {
    try {
      if (context.signal.aborted) throw jobEnded("It was not begun.");
      return { status: "succeeded", output: await run(context) };
    } catch (error) {
      if (error instanceof ProgramError && error.code === "job_process") return withoutProcess(error);
      if (!(error instanceof ExecutorFailure)) throw error;
      // Not cut here: the runner masks the message first, and the masker does not find a part of a secret.
      return { status: "failed", output: error.output, error: { code: error.code, message: error.message } };
    }
  };
}

/** The agent never runs a program itself that has to be isolated from it. */
function withoutProcess({ code, message }: ProgramError): ExecutorOutcome {
  const remedy = "See the agent's log, and run bellhop-agent doctor.";
  return { status: "failed", output: null, error: { code, message: `The program did not run: ${message}. ${remedy}` } };
}

/** `state` is a sentence about the state of the work when it ended. */
export function jobEnded(state: string, output: JsonObject | null = null): ExecutorFailure {
  return new ExecutorFailure("job_ended", state, output);
}

/** Checks an input against its contract. The failure names every problem with its path. */
export function parsed<T>(schema: z.ZodType<T>, value: unknown, code: "invalid_params" | "invalid_config"): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".") || "it"}: ${message}`);
  const [what, remedy] =
    code === "invalid_params"
      ? ["parameters are", "Change the action's parameters in the workflow"]
      : [
          "connection's configuration is",
          "Change the connection, or update this agent if it is older than the service",
        ];
  throw new ExecutorFailure(code, `The ${what} not valid: ${problems.join("; ")}. ${remedy}.`);
}

export function invalidParams(message: string): ExecutorFailure {
  return new ExecutorFailure("invalid_params", message);
}

/** The code of a system or library error, such as ECONNREFUSED. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
