import type { Handler } from "hono";
import { ProblemError } from "../services/problem.ts";
import type { AppEnv } from "./app-types.ts";

/** The last handler of a path: 405 with the methods that the path has (RFC 9110, 15.5.6). */
export function only(...methods: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")[]): Handler<AppEnv> {
  const allowed = methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return () => {
    throw new ProblemError("method_not_allowed", `This address takes ${allowed}.`, { headers: { Allow: allowed } });
  };
}
