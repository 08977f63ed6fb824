import type { Context } from "hono";
import type { AppEnv } from "./app-types.ts";

/** Goes on with work that the answer does not wait for. It must not fail, and must be made up for when it is cut off. */
export function afterwards(context: Context<AppEnv>, work: Promise<void>): void {
  context.executionCtx.waitUntil(work);
}
