import { ExecutorFailure } from "../shared/failures.ts";
import { exchange, type HttpRequest, type HttpResponse } from "./exchange.ts";
import { HARMLESS_HEADERS } from "../../../schema/contract/http-header.ts";
import { isBelow } from "../../../schema/contract/http-scope.ts";
import type { Headers } from "./headers.ts";
import type { Route } from "./open-socket.ts";

const REDIRECTS_MAX = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const WHEN_UNTRUSTED_ELSEWHERE =
  "Install the issuer's certificate on the agent's host. verifySsl: false is for the origin of baseUrl alone";

export interface FollowRules {
  /** Statuses that count as the answer, even of a redirect. */
  expected: readonly number[];
  /** The header with the connection's credential, only for requests below `base`. Null without a credential. */
  credential: { name: string; value: string } | null;
  /** The connection's base URL. Only its origin may have an unchecked certificate. */
  base: URL;
  /** Whether a redirect may not leave the origin of `base`: the job is for one host of several. */
  staysThere: boolean;
}

export interface Followed {
  response: HttpResponse;
  /** The address that answered: the target, or the end of its redirects. */
  answeredBy: URL;
  /** The first address that is not below the base URL; from there on no credential was sent. Null without one. */
  elsewhere: URL | null;
}

/**
 * Sends a request and follows at most five redirects of GET and HEAD; each target is resolved and checked again. A 303
 * is followed after any method. Any other redirect would send a body or an effect a second time: it throws
 * `redirect_not_followed`, unless the caller expects its status.
 */
export async function follow(route: Route, first: HttpRequest, rules: FollowRules): Promise<Followed> {
  let { target } = route;
  let request = first;
  let elsewhere: URL | null = null;
  for (let redirects = 0; ; redirects += 1) {
    // Once a redirect has left the base URL, no later request gets the credential: another address must not decide
    // where it is used.
    if (elsewhere === null && !isBelow(rules.base, target)) elsewhere = target;
    const { credential } = rules;
    const authorized: Headers =
      credential === null || elsewhere !== null ? {} : { [credential.name]: credential.value };
    const headers = { ...request.headers, ...authorized };
    const response = await exchange(routeTo(target, route, rules), { ...request, headers });
    const { location } = response.headers;
    const final =
      !REDIRECT_STATUSES.has(response.status) || location === undefined || rules.expected.includes(response.status);
    if (final) return { response, answeredBy: target, elsewhere };
    response.discard();
    const next = nextTarget(target, location);
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && response.status !== 303) throw notRepeated(request.method, response.status, target, next);
    if (rules.staysThere && next.origin !== rules.base.origin) throw leftTarget(request.method, target, next);
    if (redirects === REDIRECTS_MAX) {
      throw notFollowed(
        `${place(first.method, route.target)} was redirected more than ${REDIRECTS_MAX} times, last to ${next.origin}${next.pathname}. Check the address and the server.`,
      );
    }
    request = {
      method: request.method === "HEAD" ? "HEAD" : "GET",
      headers: nextHeaders(request, target, next),
      body: null,
    };
    target = next;
  }
}

function routeTo(target: URL, route: Route, { base }: FollowRules): Route {
  if (target.origin === base.origin) return { ...route, target };
  return { ...route, target, verifySsl: true, whenUntrusted: WHEN_UNTRUSTED_ELSEWHERE };
}

function nextTarget(current: URL, location: string): URL {
  if (!URL.canParse(location, current.href))
    throw notFollowed(`${current.origin} redirected to something that is not an address. Check the server.`);
  const next = new URL(location, current);
  if (next.protocol !== "http:" && next.protocol !== "https:") {
    throw notFollowed(`${current.origin} redirected to an address with ${next.protocol}, which is not followed.`);
  }
  // These parts are not sent, so they are not part of the address that answered.
  [next.username, next.password, next.hash] = ["", "", ""];
  return next;
}

function nextHeaders({ headers, body }: HttpRequest, current: URL, next: URL): HttpRequest["headers"] {
  const bodyless = Object.entries(headers).filter(([name]) => body === null || name !== "content-type");
  const kept = current.origin === next.origin ? bodyless : bodyless.filter(([name]) => HARMLESS_HEADERS.has(name));
  return Object.fromEntries(kept);
}

function notRepeated(method: string, status: number, target: URL, next: URL): ExecutorFailure {
  return notFollowed(
    `${place(method, target)} was redirected to ${next.origin}${next.pathname} with status ${status}. The request was not ` +
      "repeated there, because the work could be done twice or without its body: use that address, or expect this status.",
  );
}

function leftTarget(method: string, target: URL, next: URL): ExecutorFailure {
  return notFollowed(
    `${place(method, target)} was redirected to ${next.origin}, and a request to one of a connection's several hosts stays there. Use that host as the target, or a connection for it.`,
  );
}

function notFollowed(message: string): ExecutorFailure {
  return new ExecutorFailure("redirect_not_followed", message);
}

/** For messages: without the query, which may contain private data. */
export function place(method: string, target: URL): string {
  return `${method} ${target.origin}${target.pathname}`;
}

/** The same for a redirected request, with the address that answered. */
export function journey(method: string, target: URL, answeredBy: URL): string {
  const sent = place(method, target);
  return answeredBy.href === target.href ? sent : `${sent}, redirected to ${answeredBy.origin}${answeredBy.pathname},`;
}
