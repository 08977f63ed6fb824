import type { ActionParams } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { formsOfSecrets } from "../../mask-forms.ts";
import type { ExecutorContext } from "../executor.ts";
import { ExecutorFailure, jobEnded, parsed } from "../shared/failures.ts";
import type { HttpResponse } from "./exchange.ts";
import { follow, place } from "./follow.ts";
import { authorization, callerHeaders, type Headers } from "./headers.ts";
import type { Network } from "./open-socket.ts";
import { requestBody } from "./request-body.ts";
import { responseOutput } from "./response-output.ts";
import { baseOf, targetUrl } from "./target.ts";

const DEFAULT_HEADERS = { accept: "*/*", "accept-encoding": "gzip, br", "user-agent": "bellhop-agent" };

/** What the executor takes from its surroundings: the resolver, and the environment with the proxies. */
export type HttpDeps = Pick<Network, "lookup" | "environment">;

export interface Performed {
  response: HttpResponse;
  target: URL;
  /** The target, or the end of its redirects. */
  answeredBy: URL;
  /** The redirect target where the credential was left behind; null when there was none. */
  leftFor: string | null;
  /** `responseOutput`, and `url` after a redirect. */
  output: JsonObject;
}

const WHEN_ALWAYS_CHECKED =
  "Install the issuer's certificate on the agent's host. A connection to several hosts checks every certificate";

/** Sends the request of the parameters, with the connection's credential, within the connection's time-out. */
export async function perform(
  context: ExecutorContext,
  deps: HttpDeps,
  params: ActionParams<"http.request">,
  expected: readonly number[],
): Promise<Performed> {
  const config = parsed(CONNECTION_CONFIGS.http, context.connection.config, "invalid_config");
  const base = baseOf(config, context.place);
  const target = targetUrl(config, base, params);
  const credential = authorization(config, context.secrets);
  const body = requestBody(params);
  const headers: Headers = {
    ...DEFAULT_HEADERS,
    ...(body === null ? {} : { "content-type": body.contentType }),
    ...callerHeaders(params.headers, credential === null ? null : { header: credential.name, target }),
  };
  const limit = AbortSignal.timeout(config.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([context.signal, limit]);
  const route = {
    ...deps,
    target,
    signal,
    verifySsl: config.verifySsl,
    ...(context.place === null ? {} : { whenUntrusted: WHEN_ALWAYS_CHECKED }),
    allowPrivateNetwork: context.settings.allowPrivateNetwork,
  };
  const tooSlow = (output: JsonObject | null): ExecutorFailure => {
    const message = `${place(params.method, target)} did not finish within ${config.timeoutSeconds} s, the connection's timeoutSeconds. Raise it if the API needs longer.`;
    return new ExecutorFailure("timed_out", message, output);
  };
  try {
    const rules = { expected, credential, base, staysThere: context.place !== null };
    const first = { method: params.method, headers, body: body?.bytes ?? null };
    const { response, answeredBy, elsewhere } = await follow(route, first, rules);
    const read = await response.read();
    const output = {
      ...responseOutput(response, read, formsOfSecrets(context.secrets ?? {})),
      ...(answeredBy.href === target.href ? {} : { url: answeredBy.href }),
    };
    if (read.brokenOff !== null && signal.aborted) throw jobEnded("The answer had begun to arrive.", output);
    if (read.brokenOff !== null) {
      const message = `The answer of ${target.host} to ${place(params.method, target)} broke off: ${read.brokenOff}.`;
      throw new ExecutorFailure("connection_lost", message, output);
    }
    return {
      response,
      target,
      answeredBy,
      leftFor: credential === null ? null : leftFor(elsewhere, rules.base),
      output,
    };
  } catch (error) {
    const ended = error instanceof ExecutorFailure && error.code === "job_ended";
    throw ended && limit.aborted && !context.signal.aborted ? tooSlow(error.output) : error;
  }
}

function leftFor(elsewhere: URL | null, base: URL): string | null {
  if (elsewhere === null) return null;
  return elsewhere.origin === base.origin ? `${elsewhere.origin}${elsewhere.pathname}` : elsewhere.origin;
}
