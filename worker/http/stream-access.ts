import type { Context } from "hono";
import type { Operation } from "../../schema/contract/operation.ts";
import type { StreamAccess } from "../services/executions/while-allowed.ts";
import type { AppEnv } from "./app-types.ts";
import { identify } from "./authenticate.ts";

/** The caller's right to a long answer, checked again with the credentials of the request. */
export function streamAccess(context: Context<AppEnv>, { access }: Operation): StreamAccess {
  return {
    seenAt: Date.now(),
    endsAt: context.get("principal").expiresAt ?? null,
    stillAllowed: async () => {
      try {
        const { principal } = await identify(context);
        return access === "anyone" || access === "public" || principal.permissions.has(access);
      } catch {
        // Also while libSQL is away: access that cannot be checked is refused.
        return false;
      }
    },
  };
}
