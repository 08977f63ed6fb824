import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { hostKeysOf } from "../../../schema/contract/host-keys.ts";
import type { Place } from "../../../schema/contract/target-list.ts";
import { isShellOwn } from "../../../schema/contract/variable-name.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "../executor.ts";
import type { Environment } from "../shared/environment.ts";
import { action, ExecutorFailure, jobEnded, parsed } from "../shared/failures.ts";
import { hostOf } from "../shared/host-of.ts";
import { secretVariables } from "../shared/secret-variables.ts";
import { finishedProgram, streamsOutput } from "../shared/streams-output.ts";
import { checkVariables } from "../shared/variable-bounds.ts";
import { connectSsh, type ConnectOptions, type SshConnection, type Stage } from "./connect.ts";
import { KnownHostsFile, type Pins } from "./known-hosts.ts";
import type { SshLogin } from "./login.ts";
import { problemWithPrivateKey, readPrivateKey } from "./private-key.ts";
import { remoteProgram, type RemoteScript } from "./remote-program.ts";
import { runRemote } from "./run-remote.ts";

const STAGES = ["TCP connection", "SSH handshake", "Authentication"] as const satisfies Stage[];
/** For a second connection when the first does not answer. It must fit into the runner's wait for a stopped job. */
const RECONNECT_TIMEOUT_MS = 3_000;
/** The variables of `remoteProgram`. */
const OWN_NAMES = /^bellhop_/u;

/** Commands and scripts on hosts with SSH and a POSIX shell. */
export const executor: Executor<"ssh"> = {
  actions: {
    "ssh.executeCommand": action(async (context) => {
      const { command, env } = parsed(ACTIONS["ssh.executeCommand"].params, context.params, "invalid_params");
      return await run(context, "The command", { interpreter: "sh", script: command, arguments: [], env });
    }),
    "ssh.executeScript": action(async (context) => {
      const params = parsed(ACTIONS["ssh.executeScript"].params, context.params, "invalid_params");
      return await run(context, params.interpreter, { ...params, arguments: params.arguments ?? [] });
    }),
  },
  test,
  problemWithSecrets: ({ privateKey, passphrase }) =>
    privateKey === undefined ? null : problemWithPrivateKey(privateKey, passphrase),
};

async function run(
  context: ExecutorContext,
  label: string,
  { env, ...script }: Omit<RemoteScript, "values" | "traceparent"> & { env?: Environment | undefined },
): Promise<JsonObject> {
  const values = checkedValues({ ...env, ...context.values });
  const variables = secretVariables(context.scriptSecrets, String(context.params["secretsFrom"]));
  const { traceparent } = context;
  const program = remoteProgram({ ...script, values: { ...variables, ...values }, traceparent });
  const login = loginOf(context);
  const connection = await connect(context, login, context);
  const secrets = [...formsOfSecrets(context.secrets ?? {}), ...formsOfSecrets(context.scriptSecrets)];
  try {
    const end = await runRemote(program, {
      connection,
      hasValues: Object.keys(values).length > 0,
      reconnect: () =>
        connect(context, login, { timeoutMs: RECONNECT_TIMEOUT_MS, signal: AbortSignal.timeout(RECONNECT_TIMEOUT_MS) }),
      signal: context.signal,
      secrets,
    });
    if (end.aborted !== null) throw jobEnded(end.aborted, streamsOutput(end.streams, null));
    const signal = end.signal === null ? null : `SIG${end.signal}`;
    return finishedProgram(label, { exitCode: end.exitCode ?? 255, signal, streams: end.streams, secrets });
  } finally {
    connection.close();
  }
}

function checkedValues(values: Environment): Environment {
  checkVariables(values, "posix");
  const kept = Object.keys(values).find((name) => OWN_NAMES.test(name) || isShellOwn(name));
  if (kept === undefined) return values;
  const message = `On a host, a script cannot be given the variable ${kept}: sh, or the program around the script, uses that name itself. Choose another name.`;
  throw new ExecutorFailure("env_unsupported", message);
}

function connect(
  context: ExecutorContext,
  login: SshLogin,
  options: Pick<ConnectOptions, "timeoutMs" | "signal" | "passed">,
): Promise<SshConnection> {
  const config = parsed(CONNECTION_CONFIGS.ssh, context.connection.config, "invalid_config");
  const knownHosts = new KnownHostsFile(context.settings.stateDirectory, context.connection.id);
  const target = { ...hostOf(context, config), username: config.username, pinned: pinsOf(config, context.place) };
  return connectSsh(target, login, { ...options, knownHosts });
}

/** No host of several is trusted at first sight: the values of a template choose which are seen. */
function pinsOf(config: ConnectionConfig<"ssh">, place: Place | null): Pins | null {
  const { hostKeyFingerprint, hostKeys = [], port } = config;
  if (place !== null) return { field: "hostKeys", fingerprints: hostKeysOf(hostKeys, place, port) };
  return hostKeyFingerprint === undefined ? null : { field: "hostKeyFingerprint", fingerprints: [hostKeyFingerprint] };
}

function loginOf({ secrets, connection }: ExecutorContext): SshLogin {
  const config = parsed(CONNECTION_CONFIGS.ssh, connection.config, "invalid_config");
  const secret = secrets?.[config.authMethod];
  if (secret === undefined) {
    const others = Object.keys(secrets ?? {}).join(", ");
    const found = others === "" ? "has no credential for it" : `has only: ${others}`;
    const message = `Connection ${connection.id} logs in by ${config.authMethod}, but this agent's vault ${found}. Deliver the ${config.authMethod} to this agent.`;
    throw new ExecutorFailure("credential_missing", message);
  }
  if (config.authMethod === "password") return { password: secret };
  return { privateKey: readPrivateKey(secret, secrets?.["passphrase"]) };
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  // A host with several keys may be checked more than once. The last result counts.
  const checks = new Map<Stage, ConnectionCheck>();
  const { login, problem } = usableLogin(context);
  try {
    const passed = (name: Stage, detail: string): void => void checks.set(name, { name, ok: true, detail });
    const connection = await connect(context, login, { timeoutMs: context.timeoutMs, signal: context.signal, passed });
    connection.close();
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const name = STAGES.find((stage) => !checks.has(stage)) ?? "Authentication";
    checks.set(name, { name, ok: false, detail: (name === "Authentication" ? problem : null) ?? error.message });
  }
  return [...checks.values()];
}

/** Without a usable credential the test still reports whether the host can be reached. */
function usableLogin(context: ExecutorContext): { login: SshLogin; problem: string | null } {
  try {
    return { login: loginOf(context), problem: null };
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return { login: null, problem: error.message };
  }
}
