import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import { CONNECTIONS } from "../../../schema/contract/connections/index.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "../executor.ts";
import { toJson, toText } from "./replies.ts";
import type { Reply } from "./resp.ts";
import { openRedis } from "./session.ts";
import { action, ExecutorFailure, parsed } from "../shared/failures.ts";

/** Redis, Valkey and compatible servers: one command per action, on a separate connection. */
export const executor: Executor<"redis"> = {
  actions: { "redis.get": action(get), "redis.runCommand": action(runCommand) },
  test,
};

async function get(context: ExecutorContext): Promise<JsonObject> {
  const { key } = parsed(ACTIONS["redis.get"].params, context.params, "invalid_params");
  const reply = await ask(context, ["GET", key]);
  if (reply === null) return { value: null, found: false };
  if (Buffer.isBuffer(reply)) return { ...toText(reply), found: true };
  throw new ExecutorFailure(
    "invalid_response",
    "The server answered GET with a number or a list, as no Redis server does. Check the port.",
  );
}

async function runCommand(context: ExecutorContext): Promise<JsonObject> {
  const params = parsed(ACTIONS["redis.runCommand"].params, context.params, "invalid_params");
  return { reply: toJson(await ask(context, [params.command, ...(params.arguments ?? [])])) };
}

async function ask(context: ExecutorContext, command: [string, ...string[]]): Promise<Reply> {
  const session = await openRedis(context, configOf(context));
  try {
    return await session.ask(command);
  } finally {
    session.close();
  }
}

async function test(context: ExecutorContext): Promise<ConnectionCheck[]> {
  const config = configOf(context);
  const checks: ConnectionCheck[] = [];
  const passed = (name: string, detail: string): void => void checks.push({ name, ok: true, detail });
  try {
    const session = await openRedis(context, config, passed);
    try {
      await session.ask(["PING"]);
      passed("PING", "The server answered.");
    } finally {
      session.close();
    }
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const stages = CONNECTIONS.redis.stages.filter((stage) => stage !== "TLS" || config.tls !== "off");
    const name = stages.find((stage) => !checks.some((check) => check.name === stage));
    checks.push({ name: name ?? "PING", ok: false, detail: error.message });
  }
  return checks;
}

function configOf({ connection }: ExecutorContext) {
  return parsed(CONNECTION_CONFIGS.redis, connection.config, "invalid_config");
}
