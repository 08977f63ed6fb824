import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { quotedWithin } from "../shared/quoted.ts";
import { connectTimeoutMs, describeTls, encryptTcp, openTcp, silentAtTls, withinTime } from "../shared/tcp-session.ts";
import { RefusedByServer, requestsOn } from "./requests.ts";
import { InvalidReply, type Reply, ReplyTooLarge } from "./resp.ts";

type Config = ConnectionConfig<"redis">;
type Command = readonly [name: string, ...args: string[]];

export interface RedisSession {
  /** One command; texts come as bytes. Throws `command_failed`, `permission_denied`, `read_only`, `connection_lost` … */
  ask(command: Command): Promise<Reply>;
  close(): void;
}

/** Connects, encrypts, logs in and chooses the database, each by the rules of every other connection of this agent. */
export async function openRedis(
  context: ExecutorContext,
  config: Config,
  passed?: (stage: string, detail: string) => void,
): Promise<RedisSession> {
  const { signal } = context;
  const { host, port, tls } = config;
  const where = `${host}:${port}`;
  const timeoutMs = connectTimeoutMs(context);
  const secrets = formsOfSecrets(context.secrets ?? {});
  const socket = await openTcp(
    { host, port, where },
    { timeoutMs, signal, ...(passed === undefined ? {} : { passed }) },
  );
  try {
    const limit = { where, timeoutMs, signal, giveUp: () => socket.destroy() };
    const secure =
      tls === "off"
        ? null
        : await withinTime(encryptTcp(socket, { host, where, tls, signal }), { ...limit, silent: silentAtTls(where) });
    if (secure !== null && tls !== "off") passed?.("TLS", describeTls(secure, tls));
    const login = loginOf(context, config);
    // The first command follows immediately: a server that refuses the connection may have said so already.
    const run = requestsOn(secure ?? socket);
    try {
      if (login !== null) await withinTime(run(["AUTH", ...login]), limit);
      // Always sent: without a login the server reports here that it requires one.
      await withinTime(run(["SELECT", String(config.database)]), limit);
    } catch (error) {
      throw loginFailure(error, where, secrets);
    }
    passed?.(
      "Authentication",
      login === null ? "The server requires no login." : `Logged in as ${login.at(-2) ?? "default"}.`,
    );
    return {
      ask: (command) => endedBy(signal, run(command), { where, secrets, command }),
      close: () => socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function loginOf({ secrets, connection }: ExecutorContext, { authType }: Config): string[] | null {
  if (authType === "none") return null;
  const { username, password } = secrets ?? {};
  if (password === undefined) {
    const message = `Connection ${connection.id} logs in with a password, and this agent's vault has none for it. Deliver it to this agent.`;
    throw new ExecutorFailure("credential_missing", message);
  }
  return username === undefined ? [password] : [username, password];
}

/** Waits for a command, or for the end of the job: the connection is closed then, which stops a command that blocks. */
async function endedBy(
  signal: AbortSignal,
  running: Promise<Reply>,
  { where, secrets, command: [name] }: { where: string; secrets: readonly string[]; command: Command },
): Promise<Reply> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(
      jobEnded(`${where} was sent ${name} and did not answer: it is not known whether the command was carried out.`),
    );
  running.catch(() => undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([running, promise]);
  } catch (error) {
    if (error instanceof ExecutorFailure) throw error;
    throw commandFailure(error, { where, secrets, name });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function loginFailure(error: unknown, where: string, secrets: readonly string[]): ExecutorFailure {
  if (error instanceof ExecutorFailure) return error;
  const said = quotedWithin(errorMessage(error), secrets);
  if (!(error instanceof RefusedByServer)) return broken(where, said, "Only the login was sent to it.", error);
  const [code, message] = /^(?:WRONGPASS|NOAUTH|NOPERM|DENIED)|without any password|password is set/u.test(said)
    ? [
        "authentication_failed",
        `${where} refused the login: ${said}. Deliver the right user and password, or change how the connection logs in.`,
      ]
    : ["invalid_config", `${where} refused the database of the connection: ${said}. Change its number.`];
  return new ExecutorFailure(code, message, null, { cause: error });
}

function commandFailure(
  error: unknown,
  { where, secrets, name }: { where: string; secrets: readonly string[]; name: string },
): ExecutorFailure {
  const said = quotedWithin(errorMessage(error), secrets);
  if (error instanceof ReplyTooLarge) {
    const message =
      "The reply has more than 16 MiB, a million values or 64 levels, which this agent does not read. The command was carried out. Read the value in parts, for example with SCAN, LRANGE or GETRANGE.";
    return new ExecutorFailure("reply_too_large", message, null, { cause: error });
  }
  if (!(error instanceof RefusedByServer)) {
    return broken(where, said, `It is not known whether ${name} was carried out.`, error);
  }
  const code = /^(?:NOPERM|NOAUTH)/u.test(said)
    ? "permission_denied"
    : said.startsWith("READONLY")
      ? "read_only"
      : "command_failed";
  return new ExecutorFailure(code, `${where} refused ${name}: ${said}.`, null, { cause: error });
}

function broken(where: string, said: string, state: string, cause: unknown): ExecutorFailure {
  const [code, message] =
    cause instanceof InvalidReply
      ? [
          "invalid_response",
          `${where} does not speak the Redis protocol (RESP2): ${said}. ${state} Check the host, the port and TLS.`,
        ]
      : ["connection_lost", `The connection to ${where} broke: ${said}. ${state}`];
  return new ExecutorFailure(code, message, null, { cause });
}
