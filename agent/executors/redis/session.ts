import { AbstractConnector, Redis, ReplyError } from "ioredis";
import type { ConnectionConfig } from "../../../schema/contract/connection.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import { errorMessage, ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { quotedWithin } from "../shared/quoted.ts";
import { connectTimeoutMs, describeTls, encryptTcp, openTcp, withinTime } from "../shared/tcp-session.ts";

type NetStream = Awaited<ReturnType<AbstractConnector["connect"]>>;
type Config = ConnectionConfig<"redis">;
type Command = readonly [name: string, ...args: string[]];

/** What of a reply an agent holds. */
const REPLY_MAX_BYTES = 16 * 1_024 * 1_024;

export interface RedisSession {
  /** One command; texts come as bytes. Throws `command_failed`, `permission_denied`, `read_only`, `connection_lost` … */
  ask(command: Command): Promise<unknown>;
  close(): void;
}

/**
 * Connects, encrypts, logs in and chooses the database, each by the rules of every other connection of this agent: the
 * library speaks the protocol on a socket that is open already, and never opens another.
 */
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
    const secure = tls === "off" ? null : await encryptTcp(socket, { host, where, tls, signal });
    if (secure !== null && tls !== "off") passed?.("TLS", describeTls(secure, tls));
    const stream = secure ?? socket;
    const bound = boundReplies(stream);
    const client = clientOn(stream);
    const run = (command: Command) => bound(() => client.callBuffer(command[0], ...command.slice(1)));
    const limit = { where, timeoutMs, signal, giveUp: () => socket.destroy() };
    const login = loginOf(context, config);
    try {
      await withinTime(client.connect(), limit);
      if (login !== null) await withinTime(run(["AUTH", ...login]), limit);
      // Asked in any case: without a login the server says here that it wants one.
      await withinTime(run(["SELECT", String(config.database)]), limit);
    } catch (error) {
      throw loginFailure(error, where, secrets);
    }
    passed?.(
      "Authentication",
      login === null ? "The server asks for no login." : `Logged in as ${login.at(-2) ?? "default"}.`,
    );
    return {
      ask: (command) => endedBy(signal, run(command), { where, secrets, command }),
      close: () => {
        client.disconnect();
        socket.destroy();
      },
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function clientOn(stream: NetStream): Redis {
  class OpenConnector extends AbstractConnector {
    constructor() {
      super(0);
      this.stream = stream;
    }
    override connect(): Promise<NetStream> {
      return Promise.resolve(stream);
    }
  }
  const client = new Redis({
    Connector: OpenConnector,
    lazyConnect: true,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    // What was lost may have been carried out: nothing is connected again, and nothing sent twice.
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  });
  // It is also given to whoever waits; without a listener it would end the agent.
  client.on("error", () => undefined);
  return client;
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

/** Ends the connection when a reply is larger than an agent can hold. */
function boundReplies(stream: NetStream) {
  let received = 0;
  stream.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > REPLY_MAX_BYTES) stream.destroy();
  });
  return async (command: () => Promise<unknown>): Promise<unknown> => {
    received = 0;
    const reply = await command().catch((error: unknown) => {
      if (received <= REPLY_MAX_BYTES) throw error;
    });
    if (received <= REPLY_MAX_BYTES) return reply;
    const message =
      "The reply has more than 16 MiB, which this agent does not read; the command was carried out. Ask for a part of it, such as with SCAN, LRANGE or GETRANGE.";
    throw new ExecutorFailure("reply_too_large", message);
  };
}

/** Waits for a command, or for the end of the job: the connection is closed then, which stops a command that blocks. */
async function endedBy(
  signal: AbortSignal,
  running: Promise<unknown>,
  { where, secrets, command: [name] }: { where: string; secrets: readonly string[]; command: Command },
): Promise<unknown> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void =>
    reject(jobEnded(`${where} had been sent ${name} and had not answered: whether it was carried out is not known.`));
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
  if (!(error instanceof ReplyError)) return lost(where, said, "Nothing was sent to it but the login.", error);
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
  if (!(error instanceof ReplyError)) return lost(where, said, `Whether ${name} was carried out is not known.`, error);
  const code = /^(?:NOPERM|NOAUTH)/u.test(said)
    ? "permission_denied"
    : said.startsWith("READONLY")
      ? "read_only"
      : "command_failed";
  return new ExecutorFailure(code, `${where} refused ${name}: ${said}.`, null, { cause: error });
}

function lost(where: string, said: string, state: string, cause: unknown): ExecutorFailure {
  return new ExecutorFailure("connection_lost", `The connection to ${where} broke: ${said}. ${state}`, null, { cause });
}
