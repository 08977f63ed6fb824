import type { HttpResponse } from "./exchange.ts";
import type { HttpDeps } from "./perform.ts";
import { proxyFor } from "./proxy.ts";

/** Plain http goes to a proxy with everything in it, and what comes back may be the proxy's own answer. */
export function proxied(target: URL, { environment }: HttpDeps): boolean {
  return target.protocol === "http:" && proxyFor(target, environment) !== null;
}

/** What to do about a status, as a sentence behind the one that names it; "" where there is nothing to say. */
export function hint({ status, headers }: HttpResponse, viaProxy: boolean): string {
  if (status === 401) {
    const proxy = viaProxy ? " If the answer is the proxy's, check its login in the agent's HTTP_PROXY." : "";
    return ` The credential was not accepted: check the connection's authType, and deliver it again.${proxy}`;
  }
  if (status === 403) return " The credential was understood but may not do this: check its rights.";
  if (status === 407) return " The proxy asks for a login: write it into the agent's HTTP_PROXY.";
  const wait = headers["retry-after"]?.trim() ?? "";
  // RFC 9110, 10.2.3: seconds or a date.
  if (/^\d{1,9}$/u.test(wait)) return ` It asks to wait ${wait} s before the next request (Retry-After).`;
  return /^[A-Za-z0-9 ,:+-]{1,64}$/u.test(wait) ? ` It asks to wait until ${wait} (Retry-After).` : "";
}
