import type { Context, Hono, MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import type { H } from "hono/types";
import type { Operation } from "../../schema/contract/operation.ts";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";
import { authenticate, requirePermission } from "./authenticate.ts";
import { idempotently } from "./idempotency.ts";
import { refuseUnheededIfMatch } from "./etag.ts";
import { requireKnownQuery } from "./known-query.ts";

/** An operation of the contract with its handler. The list of endpoints is the routing. */
export interface Endpoint {
  readonly operation: Operation;
  readonly handle: (context: Context<AppEnv>) => Response | Promise<Response>;
}

export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  return { operation, handle };
}

/**
 * Mounts endpoints with their access rules. Every path also answers 405 with its methods (RFC 9110, 15.5.6), but only
 * to callers that it admits. Where paths overlap, the one without a parameter comes first. `identify` finds out who
 * calls.
 */
export function mountEndpoints(
  app: Hono<AppEnv>,
  endpoints: readonly Endpoint[],
  identify: MiddlewareHandler<AppEnv> = authenticate,
): void {
  const groups = [...Map.groupBy(endpoints, ({ operation }) => operation.path)];
  for (const [path, members] of groups.sort(([a], [b]) => byPlainness(a, b))) {
    for (const { operation, handle } of members) {
      const perform = operation.idempotent === undefined ? handle : idempotently(operation, handle);
      app.on(operation.method, [honoPath(path)], ...onRoute(path, [...guards(operation, identify), perform]));
    }
    const open = members.some(({ operation }) => operation.access === "public");
    const refuse = only(members.map(({ operation }) => operation.method));
    app.on(METHOD_NAME_ALL, [honoPath(path)], ...onRoute(path, open ? [refuse] : [identify, refuse]));
  }
}

/** A parameter of the path. Throws when the operation's path has no such parameter. */
export function pathParam(context: Context<AppEnv>, name = "id"): string {
  const value = context.req.param(name);
  if (value === undefined) throw new Error(`the path ${context.req.path} has no parameter ${name}`);
  return value;
}

function guards(operation: Operation, identify: MiddlewareHandler<AppEnv>) {
  const { access } = operation;
  switch (access) {
    case "public":
      return [];
    case "anyone":
      return [identify, requireKnownQuery(operation), refuseUnheededIfMatch(operation)];
    default:
      return [identify, requirePermission(access), requireKnownQuery(operation), refuseUnheededIfMatch(operation)];
  }
}

/** The first handler also notes the pattern of the path, for the log. A middleware for that would cost every call. */
function onRoute(path: string, handlers: readonly H<AppEnv>[]): H<AppEnv>[] {
  const [first, ...rest] = handlers;
  if (first === undefined) return [];
  const noted: H<AppEnv> = (context, next) => {
    context.set("route", path);
    return first(context, next);
  };
  return [noted, ...rest];
}

function only(methods: readonly Operation["method"][]): Endpoint["handle"] {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return () => {
    throw new ProblemError("method_not_allowed", `This address takes ${allowed}.`, { headers: { Allow: allowed } });
  };
}

/** Compares paths by segments, a word before a parameter. This is a total order, so that sorting works. */
function byPlainness(a: string, b: string): number {
  const [left, right] = [a.split("/"), b.split("/")];
  const at = left.findIndex((segment, index) => segment !== right[index]);
  if (at < 0) return left.length - right.length;
  const [x, y] = [left[at] ?? "", right[at] ?? ""];
  return Number(isParameter(x)) - Number(isParameter(y)) || (x < y ? -1 : 1);
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, ":$1");
}
