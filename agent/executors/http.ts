import { ACTIONS, type ActionParams } from "../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../schema/contract/connection.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { formsOfSecrets } from "../mask-forms.ts";
import { systemLookup } from "../network-guard.ts";
import type { ConnectionCheck, Executor, ExecutorContext } from "./executor.ts";
import type { HttpResponse } from "./http/exchange.ts";
import { follow, place } from "./http/follow.ts";
import { authorization, callerHeaders, type Headers } from "./http/headers.ts";
import type { Network } from "./http/open-socket.ts";
import { requestBody } from "./http/request-body.ts";
import { responseOutput } from "./http/response-output.ts";
import { targetUrl } from "./http/target.ts";
import { action, ExecutorFailure, jobEnded, parsed } from "./shared/failures.ts";

const DEFAULT_HEADERS = { accept: "*/*", "accept-encoding": "gzip, br", "user-agent": "bellhop-agent" };

/** What the executor takes from its surroundings: how names are resolved, and the environment that names proxies. */
export type HttpDeps = Pick<Network, "lookup" | "environment">;

export const executor: Executor = createHttpExecutor({ lookup: systemLookup, environment: process.env });

/** Requests to the API that a connection of type http describes. */
export function createHttpExecutor(deps: HttpDeps): Executor {
  return {
    actions: { "http.request": action((context) => request(context, deps)) },
    test: (context) => test(context, deps),
  };
}

async function request(context: ExecutorContext, deps: HttpDeps): Promise<JsonObject> {
  const params = parsed(ACTIONS["http.request"].params, context.params, "invalid_params");
  const expected = expectedStatuses(params.expectStatus);
  const { response, target, output } = await perform(context, deps, params, expected);
  const accepted = expected.length > 0 ? expected.includes(response.status) : response.status < 400;
  if (accepted) return output;
  const status = `${response.status} ${response.statusText}`.trim();
  const wanted = expected.length > 0 ? ` instead of ${expected.join(" or ")}` : "";
  throw new ExecutorFailure(
    "http_status",
    `${place(params.method, target)} answered ${status}${wanted}.${hint(response.status)}`,
    output,
  );
}

/** Sends what the parameters say, with the connection's credential, within the connection's time-out. */
async function perform(
  context: ExecutorContext,
  deps: HttpDeps,
  params: ActionParams<"http.request">,
  expected: readonly number[],
): Promise<{ response: HttpResponse; target: URL; output: JsonObject }> {
  const config = parsed(CONNECTION_CONFIGS.http, context.connection.config, "invalid_config");
  const target = targetUrl(config, params);
  const credential = authorization(config, context.secrets);
  const body = requestBody(params);
  const headers: Headers = {
    ...DEFAULT_HEADERS,
    ...(body === null ? {} : { "content-type": body.contentType }),
    ...callerHeaders(params.headers, credential?.name ?? null),
    ...(credential === null ? {} : { [credential.name]: credential.value }),
  };
  const limit = AbortSignal.timeout(config.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([context.signal, limit]);
  const route = {
    ...deps,
    target,
    signal,
    verifySsl: config.verifySsl,
    allowPrivateNetwork: context.settings.allowPrivateNetwork,
  };
  const tooSlow = (output: JsonObject | null): ExecutorFailure => {
    const message = `${place(params.method, target)} did not finish within ${config.timeoutSeconds} s, the connection's timeoutSeconds. Raise it if the API needs longer.`;
    return new ExecutorFailure("timed_out", message, output);
  };
  try {
    const response = await follow(route, { method: params.method, headers, body: body?.bytes ?? null }, expected);
    const read = await response.read();
    const output = responseOutput(response, read, formsOfSecrets(context.secrets ?? {}));
    if (read.brokenOff !== null && signal.aborted) throw jobEnded("The answer had begun to arrive.", output);
    if (read.brokenOff !== null) {
      const message = `The answer of ${target.host} to ${place(params.method, target)} broke off: ${read.brokenOff}.`;
      throw new ExecutorFailure("connection_lost", message, output);
    }
    return { response, target, output };
  } catch (error) {
    const ended = error instanceof ExecutorFailure && error.code === "job_ended";
    throw ended && limit.aborted && !context.signal.aborted ? tooSlow(error.output) : error;
  }
}

function expectedStatuses(expectStatus: number | number[] | undefined): number[] {
  if (expectStatus === undefined) return [];
  return typeof expectStatus === "number" ? [expectStatus] : expectStatus;
}

function hint(status: number): string {
  if (status === 401) return " The credential was not accepted: check the connection's authType, and deliver it again.";
  if (status === 403) return " The credential was understood but may not do this: check its rights.";
  if (status === 407) return " The proxy asks for a login: write it into the agent's HTTP_PROXY.";
  return "";
}

async function test(context: ExecutorContext, deps: HttpDeps): Promise<ConnectionCheck[]> {
  const name = "HTTP request";
  const params = parsed(ACTIONS["http.request"].params, { method: "GET" }, "invalid_params");
  try {
    const { response, target } = await perform(context, deps, params, []);
    const answer = `${place("GET", target)} answered ${response.status} ${response.statusText}`.trim();
    if (response.status >= 500) {
      return [{ name, ok: false, detail: `${answer}: it was reached but does not work. See the server's log.` }];
    }
    return [{ name, ok: true, detail: `${answer}.` }, authenticationCheck(context, response.status)];
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    const credential = error.code === "credential_missing" || error.code === "invalid_credential";
    return [{ name: credential ? "Authentication" : name, ok: false, detail: error.message }];
  }
}

function authenticationCheck(context: ExecutorContext, status: number): ConnectionCheck {
  const name = "Authentication";
  const { authType } = parsed(CONNECTION_CONFIGS.http, context.connection.config, "invalid_config");
  if (status !== 401 && status !== 403) {
    return {
      name,
      ok: true,
      detail: authType === "none" ? "None is asked for." : `The ${authType} credential was not refused.`,
    };
  }
  const remedy =
    authType === "none"
      ? "The base URL asks for a login: choose an authType and deliver its credential."
      : `The ${authType} credential was refused with ${status}: check it and its rights, and deliver it again.`;
  return { name, ok: false, detail: remedy };
}
