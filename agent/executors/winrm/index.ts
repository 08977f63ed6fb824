import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { winrm } from "../../../schema/contract/connections/winrm.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { Executor, ExecutorContext } from "../executor.ts";
import { action, ExecutorFailure, invalidParams, parsed } from "../shared/failures.ts";
import { hostOf } from "../shared/host-of.ts";
import { finishedProgram } from "../shared/streams-output.ts";
import { withTraceContext } from "../shared/variable-bounds.ts";
import type { Place } from "./connection.ts";
import { remoteEnvironment } from "./environment.ts";
import type { Login } from "./log-in.ts";
import { COMMAND_LINE_MAX_CHARS, powerShellCall } from "./powershell.ts";
import { type RemoteProgram, runRemote } from "./run-remote.ts";
import { WsmanSession } from "./session.ts";
import { testConnection } from "./test-connection.ts";
import { notForXml } from "./xml.ts";

/** Together with a second connection to end the command, this must fit into the runner's wait for a stopped job. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Commands and PowerShell scripts on Windows hosts, in a remote shell of WS-Management (MS-WSMV). */
export const executor: Executor<"winrm"> = {
  actions: {
    "winrm.executeCommand": action(async (context) => {
      const { command } = parsed(ACTIONS["winrm.executeCommand"].params, context.params, "invalid_params");
      if (Object.keys(context.values).length > 0) throw noValues();
      return await run(context, "The command", { commandLine: checkedCommand(command), input: null, environment: {} });
    }),
    "winrm.executeScript": action(async (context) => {
      const { script, env } = parsed(ACTIONS["winrm.executeScript"].params, context.params, "invalid_params");
      const given = remoteEnvironment({ ...env, ...context.values });
      const environment = withTraceContext(given, context, "windows");
      return await run(context, "powershell.exe", { ...powerShellCall(script), environment });
    }),
  },
  test: (context) => testConnection({ place: placeOf(context), login: () => loginOf(context), signal: context.signal }),
};

async function run(context: ExecutorContext, label: string, program: RemoteProgram): Promise<JsonObject> {
  const place = placeOf(context);
  const login = loginOf(context);
  const secrets = formsOfSecrets(context.secrets ?? {});
  const end = await runRemote(program, {
    connect: (signal) => WsmanSession.open(place, login, { timeoutMs: CONNECT_TIMEOUT_MS, signal }),
    signal: context.signal,
    secrets,
  });
  return finishedProgram(label, { ...end, signal: null, secrets }, "windows");
}

/** cmd.exe parses the value of %NAME% as a part of its command. */
function noValues(): ExecutorFailure {
  return invalidParams(
    "winrm.executeCommand accepts no values. Use winrm.executeScript, whose PowerShell accepts every value.",
  );
}

/** cmd.exe runs one line, and would silently drop further ones. */
function checkedCommand(command: string): string {
  const line = command.replace(/[\r\n]+$/u, "");
  if (/[\r\n]/u.test(line)) {
    throw invalidParams("cmd.exe runs one line: join several commands with &&, or use winrm.executeScript.");
  }
  if (line.trim() === "") throw invalidParams("The command is empty. Write a command.");
  if (line.length > COMMAND_LINE_MAX_CHARS) {
    const message = `The command has ${line.length} characters; cmd.exe reads ${COMMAND_LINE_MAX_CHARS} here. Use winrm.executeScript, which has no such limit.`;
    throw invalidParams(message);
  }
  const bad = notForXml(line);
  if (bad !== null)
    throw invalidParams(`The command contains the character ${bad}, which WS-Management cannot carry. Remove it.`);
  return line;
}

function placeOf(context: ExecutorContext): Place {
  const config = parsed(CONNECTION_CONFIGS.winrm, context.connection.config, "invalid_config");
  return { ...hostOf(context, config), useSsl: config.useSsl };
}

function loginOf({ connection, secrets }: ExecutorContext): Login {
  const { authMethod } = parsed(CONNECTION_CONFIGS.winrm, connection.config, "invalid_config");
  if (authMethod === "kerberos") {
    const message =
      "This agent cannot log in by Kerberos. Set the connection's authMethod to ntlm, which works with accounts of a domain (DOMAIN\\name) and of the machine, or to basic with useSsl for accounts of the machine.";
    throw new ExecutorFailure("unsupported_auth", message);
  }
  if (secrets === null) {
    const message = `Connection ${connection.id} has no credential in this agent's vault. Deliver username and password to this agent.`;
    throw new ExecutorFailure("credential_missing", message);
  }
  const login = winrm.secrets.schema.safeParse(secrets);
  if (!login.success) {
    const message = `The credential of connection ${connection.id} must be username and password; it has: ${Object.keys(secrets).join(", ")}. Deliver it again.`;
    throw new ExecutorFailure("invalid_credential", message);
  }
  // RFC 7617, 2: the text after the first colon would be read as the password.
  if (authMethod === "basic" && login.data.username.includes(":")) {
    throw new ExecutorFailure("invalid_credential", "A user name with a colon cannot log in by basic: use ntlm.");
  }
  return { method: authMethod, ...login.data };
}
