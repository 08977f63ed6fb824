import type { Settings } from "./settings.ts";

/** The deployment's address: the configured one, or that of the request. No trailing slash. */
export function publicOrigin(settings: Pick<Settings, "publicOrigin">, requestUrl: string): string {
  return settings.publicOrigin ?? new URL(requestUrl).origin;
}
