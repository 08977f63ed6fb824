import { ACTIONS } from "../../../schema/contract/action.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { systemLookup } from "../../network-guard.ts";
import type { Executor, ExecutorContext } from "../executor.ts";
import { journey } from "./follow.ts";
import { hint, proxied } from "./hint.ts";
import { type HttpDeps, perform } from "./perform.ts";
import { testConnection } from "./test-connection.ts";
import { action, ExecutorFailure, parsed } from "../shared/failures.ts";

export type { HttpDeps };

export const executor: Executor<"http"> = createHttpExecutor({ lookup: systemLookup, environment: process.env });

/** Requests to the API of a connection of type http. */
export function createHttpExecutor(deps: HttpDeps): Executor<"http"> {
  return {
    actions: { "http.request": action((context) => request(context, deps)) },
    test: (context) => testConnection(context, deps),
  };
}

async function request(context: ExecutorContext, deps: HttpDeps): Promise<JsonObject> {
  const params = parsed(ACTIONS["http.request"].params, context.params, "invalid_params");
  const expected = expectedStatuses(params.expectStatus);
  const { response, target, answeredBy, leftFor, output } = await perform(context, deps, params, expected);
  const accepted = expected.length > 0 ? expected.includes(response.status) : response.status < 400;
  if (accepted) return output;
  const status = `${response.status} ${response.statusText}`.trim();
  const wanted = expected.length > 0 ? ` instead of ${expected.join(" or ")}` : "";
  throw new ExecutorFailure(
    "http_status",
    `${journey(params.method, target, answeredBy)} answered ${status}${wanted}.${hint(response, { viaProxy: proxied(answeredBy, deps), leftFor })}`,
    output,
  );
}

function expectedStatuses(expectStatus: number | number[] | undefined): number[] {
  if (expectStatus === undefined) return [];
  return typeof expectStatus === "number" ? [expectStatus] : expectStatus;
}
