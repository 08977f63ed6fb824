import { ExecutorFailure } from "../shared/failures.ts";
import { exchange, type HttpRequest, type HttpResponse } from "./exchange.ts";
import type { Headers } from "./headers.ts";
import type { Route } from "./open-socket.ts";

const REDIRECTS_MAX = 5;
const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** What may follow a redirect to another origin: nothing that says who asks. */
const HARMLESS_HEADERS = new Set(["accept", "accept-language", "accept-encoding", "user-agent"]);

/**
 * Sends a request and follows redirects of what only reads, at most five; each target is looked up and checked anew.
 * A 303 is an answer that is to be fetched, so it is followed after any method. What would have to be sent a second
 * time is not: that fails with `redirect_not_followed`, unless the caller expects this status.
 */
export async function follow(route: Route, first: HttpRequest, expected: readonly number[]): Promise<HttpResponse> {
  let { target } = route;
  let request = first;
  for (let redirects = 0; ; redirects += 1) {
    const response = await exchange({ ...route, target }, request);
    const { location } = response.headers;
    const final =
      !REDIRECT_STATUSES.has(response.status) || location === undefined || expected.includes(response.status);
    if (final) return response;
    response.discard();
    const next = nextTarget(target, location);
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && response.status !== 303) throw notRepeated(request.method, response.status, target, next);
    if (redirects === REDIRECTS_MAX) {
      throw notFollowed(
        `${place(first.method, route.target)} was redirected more than ${REDIRECTS_MAX} times, last to ${next.origin}${next.pathname}.`,
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

function nextTarget(current: URL, location: string): URL {
  if (!URL.canParse(location, current.href))
    throw notFollowed(`${current.origin} redirected to what is not an address.`);
  const next = new URL(location, current);
  if (next.protocol !== "http:" && next.protocol !== "https:") {
    throw notFollowed(`${current.origin} redirected to an address with ${next.protocol}, which is not followed.`);
  }
  return next;
}

function nextHeaders(request: HttpRequest, current: URL, next: URL): Headers {
  const bodyless = Object.entries(request.headers).filter(([name]) => request.body === null || name !== "content-type");
  const kept = current.origin === next.origin ? bodyless : bodyless.filter(([name]) => HARMLESS_HEADERS.has(name));
  return Object.fromEntries(kept);
}

function notRepeated(method: string, status: number, target: URL, next: URL): ExecutorFailure {
  return notFollowed(
    `${place(method, target)} was redirected to ${next.origin}${next.pathname} with status ${status}. Sending it a second time ` +
      "could do the work twice or lose its body: use that address, or expect this status.",
  );
}

function notFollowed(message: string): ExecutorFailure {
  return new ExecutorFailure("redirect_not_followed", message);
}

/** For messages: without the query, which may carry what is nobody's business. */
export function place(method: string, target: URL): string {
  return `${method} ${target.origin}${target.pathname}`;
}
