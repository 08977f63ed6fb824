import { hash } from "node:crypto";

/** The scope of keys from the API; the scope of an integration's keys is its id. */
export const API_SCOPE = "api";

const KEY_MAX_CHARS = 255;

/** A source's key as it is stored: the same key from two sources does not collide. */
export function scopedKey(scope: string, key: string): string {
  const short = key.length <= KEY_MAX_CHARS ? key : `sha256:${hash("sha256", key, "base64url")}`;
  return `${scope}:${short}`;
}

/** The key in its source's form. Scopes have no colon. */
export function shownKey(stored: string | null): string | null {
  return stored === null ? null : stored.slice(stored.indexOf(":") + 1);
}
