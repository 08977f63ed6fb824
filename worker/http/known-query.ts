import { createMiddleware } from "hono/factory";
import { z } from "zod";
import type { Operation } from "../../schema/contract/operation.ts";
import { invalidInput } from "../services/parse.ts";
import type { AppEnv } from "./app-types.ts";

/**
 * Refuses unknown and repeated query parameters: a mistyped filter would otherwise return everything. Does not apply to
 * `public` operations: agents ignore unknown parameters (docs/design/http-api.md#queries), and an OIDC issuer adds its
 * own to a redirect.
 */
export function requireKnownQuery(operation: Operation) {
  const known = parameterNames(operation);
  return createMiddleware<AppEnv>(async (context, next) => {
    const sent = Object.entries(context.req.queries());
    const errors = sent.flatMap(([name, values]) => {
      if (!known.includes(name)) return [{ path: name, message: unknownParameter(known) }];
      return values.length > 1 ? [{ path: name, message: "is given more than once: send it once" }] : [];
    });
    if (errors.length > 0) throw invalidInput(errors);
    await next();
  });
}

function parameterNames({ query }: Operation): readonly string[] {
  return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
}

function unknownParameter(known: readonly string[]): string {
  return known.length === 0
    ? "is not a parameter here: remove it"
    : `is not a parameter here: use one of ${known.join(", ")}`;
}
