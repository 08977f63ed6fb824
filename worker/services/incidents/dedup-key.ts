import { createHash } from "node:crypto";

/** The scope of keys that come through the API; an integration's are in the scope of its id. */
export const API_SCOPE = "api";

const KEY_MAX_CHARS = 255;

/** A source's key as it is stored: two sources may use the same one without meeting. */
export function scopedKey(scope: string, key: string): string {
  const short = key.length <= KEY_MAX_CHARS ? key : `sha256:${createHash("sha256").update(key).digest("base64url")}`;
  return `${scope}:${short}`;
}

/** The key as its source knows it. Scopes have no colon. */
export function shownKey(stored: string | null): string | null {
  return stored === null ? null : stored.slice(stored.indexOf(":") + 1);
}
