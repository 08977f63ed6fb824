/** What wrangler.toml and `wrangler secret` give the Worker. Parsed once per isolate by `services/settings.ts`. */
export interface Env {
  GATE: DurableObjectNamespace;
  RUN: DurableObjectNamespace;
  POOL: DurableObjectNamespace;
  /** libsql:// or https:// in production, http://127.0.0.1 locally. */
  DATABASE_URL: string;
  DATABASE_AUTH_TOKEN?: string;
  /** At least 32 characters; keys' tags and sessions are signed with it. Changing it invalidates both. */
  BELLHOP_SECRET: string;
  /** Opens a fresh deployment; unset in production (design 7). */
  BOOTSTRAP_ADMIN_TOKEN?: string;
  /** The deployment's public address, for webhook URLs; the request's own origin when unset. */
  PUBLIC_URL?: string;
}
