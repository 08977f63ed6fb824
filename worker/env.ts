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

  /** OIDC (design 7): bearer tokens of this issuer are accepted, and people sign in with it when there is a client. */
  OIDC_ISSUER?: string;
  /** What `aud` must contain; the client id when unset. */
  OIDC_AUDIENCE?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
  /** The claim that holds roles (default `roles`), and the role of who has none of ours; nobody gets in without one. */
  OIDC_ROLE_CLAIM?: string;
  OIDC_DEFAULT_ROLE?: string;

  /** Notification channels (design 5): what is not set is not configured. */
  NOTIFY_EMAIL_FROM?: string;
  /** smtp://user:password@host:587 (STARTTLS) or smtps://…:465. */
  NOTIFY_SMTP_URL?: string;
  /** An HTTP provider instead of SMTP. */
  NOTIFY_EMAIL_API_URL?: string;
  NOTIFY_EMAIL_API_KEY?: string;
  NOTIFY_SMS_API_URL?: string;
  NOTIFY_SMS_ACCOUNT_SID?: string;
  NOTIFY_SMS_AUTH_TOKEN?: string;
  NOTIFY_SMS_FROM?: string;
  /** Signs webhook notifications (Standard Webhooks): `whsec_<base64>`. */
  NOTIFY_WEBHOOK_SECRET?: string;
}
