import type { Context } from "hono";
import type { AppEnv } from "./app-types.ts";

/** Continues with work after the answer. The work must not reject, and must be repeated elsewhere if it is cut off. */
export function afterwards(context: Context<AppEnv>, work: Promise<void>): void {
  context.executionCtx.waitUntil(work);
}
