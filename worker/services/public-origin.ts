import type { Settings } from "./settings.ts";

/** Where this deployment answers: as it is configured, or as it was called. Without a slash at the end. */
export function publicOrigin(settings: Pick<Settings, "publicOrigin">, requestUrl: string): string {
  return settings.publicOrigin ?? new URL(requestUrl).origin;
}
