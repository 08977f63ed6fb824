import { createMiddleware } from "hono/factory";
import type { AppEnv } from "./app-types.ts";

/**
 * Every answer is what its Content-Type says, and no browser guesses. The console's page may run scripts of this origin:
 * without it, text that somebody stored here and that the API gives back would be one.
 */
export const nameTypes = createMiddleware<AppEnv>(async (context, next) => {
  await next();
  // The answer that opens a WebSocket is the object's own, and takes no further header.
  if (context.res.status !== 101) context.res.headers.set("X-Content-Type-Options", "nosniff");
});
