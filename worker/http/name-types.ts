import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-types.ts";

/**
 * Keeps browsers from guessing content types. The console's page may run scripts of this origin, so stored text that
 * the API returns must not pass for one.
 */
export const nameTypes = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  // The object itself answers with the WebSocket, and its headers are immutable.
  if (context.res.status !== 101) context.res.headers.set("X-Content-Type-Options", "nosniff");
});
