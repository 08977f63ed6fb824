import { ACTIONS } from "../../../schema/contract/action.ts";
import { CONNECTION_CONFIGS } from "../../../schema/contract/connection.ts";
import type { ConnectionCheck, ExecutorContext } from "../executor.ts";
import { ExecutorFailure, parsed } from "../shared/failures.ts";
import { journey } from "./follow.ts";
import { authorization } from "./headers.ts";
import { hint, leftBehind, MAY_BE_THE_PROXYS, proxied } from "./hint.ts";
import { type HttpDeps, perform, type Performed } from "./perform.ts";

/** "HTTP request" to the base URL, then "Authentication": whether the credential was refused. */
export async function testConnection(context: ExecutorContext, deps: HttpDeps): Promise<ConnectionCheck[]> {
  const config = parsed(CONNECTION_CONFIGS.http, context.connection.config, "invalid_config");
  try {
    authorization(config, context.secrets);
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    // Without a usable credential the test still reports whether the API can be reached.
    const connection = { ...context.connection, config: { ...context.connection.config, authType: "none" } };
    const [reached] = await testRequest({ ...context, connection }, deps);
    const missing = { name: "Authentication", ok: false, detail: error.message };
    return reached?.ok === true ? [reached, missing] : [reached ?? missing];
  }
  return await testRequest(context, deps);
}

async function testRequest(context: ExecutorContext, deps: HttpDeps): Promise<ConnectionCheck[]> {
  const name = "HTTP request";
  const params = parsed(ACTIONS["http.request"].params, { method: "GET" }, "invalid_params");
  try {
    const performed = await perform(context, deps, params, []);
    const { response, target, answeredBy, leftFor } = performed;
    const viaProxy = proxied(answeredBy, deps);
    const answer = `${journey("GET", target, answeredBy)} answered ${response.status} ${response.statusText}`.trim();
    if (response.status === 407 || (viaProxy && response.status >= 500)) {
      return [{ name, ok: false, detail: `${answer}.${hint(response, { viaProxy, leftFor })}` }];
    }
    if (response.status >= 500) {
      return [{ name, ok: false, detail: `${answer}: the server was reached but has an error. See the server's log.` }];
    }
    return [{ name, ok: true, detail: `${answer}.` }, authenticationCheck(context, performed, viaProxy)];
  } catch (error) {
    if (!(error instanceof ExecutorFailure)) throw error;
    return [{ name, ok: false, detail: error.message }];
  }
}

function authenticationCheck(
  context: ExecutorContext,
  { response: { status }, leftFor }: Performed,
  viaProxy: boolean,
): ConnectionCheck {
  const name = "Authentication";
  if (leftFor !== null) return { name, ok: false, detail: leftBehind(leftFor) };
  const { authType } = parsed(CONNECTION_CONFIGS.http, context.connection.config, "invalid_config");
  if (status !== 401 && status !== 403) {
    return {
      name,
      ok: true,
      detail: authType === "none" ? "The server requires no login." : `The ${authType} credential was not refused.`,
    };
  }
  if (status === 403 && viaProxy) return { name, ok: false, detail: `It was refused with 403. ${MAY_BE_THE_PROXYS}` };
  const remedy =
    authType === "none"
      ? "The base URL requires a login: choose an authType and deliver its credential."
      : `The ${authType} credential was refused with ${status}: check it and its rights, and deliver it again.`;
  return { name, ok: false, detail: remedy };
}
