import type { HttpResponse } from "./exchange.ts";
import type { HttpDeps } from "./perform.ts";
import { proxyFor } from "./proxy.ts";

/** A proxy answers 403 for its own rules, and 500 or more when it cannot reach the target. */
export const MAY_BE_THE_PROXYS =
  "The answer may be the proxy's: check the host of the address, and the proxy's log and rules.";

/** Plain http is sent whole to a proxy, and the answer may be the proxy's own. */
export function proxied(target: URL, { environment }: HttpDeps): boolean {
  return target.protocol === "http:" && proxyFor(target, environment) !== null;
}

/** What to do about a status, as a sentence to append; "" when there is no advice. */
export function hint(
  { status, headers }: HttpResponse,
  { viaProxy, leftFor }: { viaProxy: boolean; leftFor: string | null },
): string {
  if (leftFor !== null && (status === 401 || status === 403)) return ` ${leftBehind(leftFor)}`;
  if (status === 401) {
    const proxy = viaProxy ? " If the answer is the proxy's, check its login in the agent's HTTP_PROXY." : "";
    return ` The credential was not accepted: check the connection's authType, and deliver it again.${proxy}`;
  }
  if (status === 403 && !viaProxy)
    return " The credential was recognized but lacks the right to do this: check its rights.";
  if (status === 407) return " The proxy requires a login: write the login into the agent's HTTP_PROXY.";
  return (viaProxy && (status === 403 || status >= 500) ? ` ${MAY_BE_THE_PROXYS}` : "") + wait(headers);
}

/** Why the credential was not used: a redirect left the base URL. */
export function leftBehind(address: string): string {
  return (
    `The request was redirected to ${address}, where the agent does not send the credential: probably a login page. Check the credential; if ` +
    "the API itself is there, write its address as baseUrl."
  );
}

function wait(headers: HttpResponse["headers"]): string {
  const after = headers["retry-after"]?.trim() ?? "";
  // RFC 9110, 10.2.3: seconds or a date.
  if (/^\d{1,9}$/u.test(after)) return ` It asks to wait ${after} s before the next request (Retry-After).`;
  return /^[A-Za-z0-9 ,:+-]{1,64}$/u.test(after) ? ` It asks to wait until ${after} (Retry-After).` : "";
}
