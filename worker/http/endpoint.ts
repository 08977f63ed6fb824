import type { Context, Hono } from "hono";
import type { Operation } from "../../schema/contract/operation.ts";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";
import { authenticate, requirePermission } from "./authenticate.ts";

/** An operation of the contract and what answers it. The list of endpoints is the routing. */
export interface Endpoint {
  readonly operation: Operation;
  readonly handle: (context: Context<AppEnv>) => Response | Promise<Response>;
}

export function endpoint(operation: Operation, handle: Endpoint["handle"]): Endpoint {
  return { operation, handle };
}

/**
 * Puts endpoints into the app, with whom they let in; every path also answers 405 with the methods that it has
 * (RFC 9110, 15.5.6). Where paths overlap, the one without a parameter must come first.
 */
export function mountEndpoints(app: Hono<AppEnv>, endpoints: readonly Endpoint[]): void {
  for (const [path, members] of Map.groupBy(endpoints, ({ operation }) => honoPath(operation.path))) {
    for (const { operation, handle } of members) {
      app.on(operation.method, path, noStore, ...guards(operation), handle);
    }
    app.all(path, only(members.map(({ operation }) => operation.method)));
  }
}

/** A parameter of the path. Throws when the operation's path has none of that name. */
export function pathParam(context: Context<AppEnv>, name = "id"): string {
  const value = context.req.param(name);
  if (value === undefined) throw new Error(`the path ${context.req.path} has no parameter ${name}`);
  return value;
}

function guards({ access }: Operation) {
  switch (access) {
    case "public":
      return [];
    case "anyone":
      return [authenticate];
    default:
      return [authenticate, requirePermission(access)];
  }
}

async function noStore(context: Context<AppEnv>, next: () => Promise<void>): Promise<void> {
  await next();
  if (!context.res.headers.has("Cache-Control")) context.res.headers.set("Cache-Control", "no-store");
}

function only(methods: readonly Operation["method"][]): Endpoint["handle"] {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return () => {
    throw new ProblemError("method_not_allowed", `This address takes ${allowed}.`, { headers: { Allow: allowed } });
  };
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/gu, ":$1");
}
