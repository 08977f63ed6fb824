const INTEGRATION_KEY = /^(\/api\/v1\/integrations\/[^/]*\/)[^/]+/u;

/** A request's path for answers and the log. The key in an integration's address is a secret (invariant 6). */
export function shownPath(path: string): string {
  return path.replace(INTEGRATION_KEY, "$1{key}");
}
