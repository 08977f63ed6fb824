import type { Env } from "../env.ts";

/** Where this deployment answers: as it is configured, or as it was called. Without a slash at the end. */
export function publicOrigin({ PUBLIC_URL = "" }: Pick<Env, "PUBLIC_URL">, requestUrl: string): string {
  return new URL(PUBLIC_URL === "" ? requestUrl : PUBLIC_URL).origin;
}
