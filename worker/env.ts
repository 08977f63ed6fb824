/** What wrangler.toml and `wrangler secret` give the Worker. Parsed once per isolate by `services/settings.ts`. */
export interface Env {
  GATE: DurableObjectNamespace;
  WORKFLOW_RUNS: DurableObjectNamespace;
  DISPATCHER: DurableObjectNamespace;
  NOTIFIER: DurableObjectNamespace;
  EXECUTION_FEED: DurableObjectNamespace;
  /** libsql:// or https:// in production, http://127.0.0.1 locally. */
  DATABASE_URL: string;
  DATABASE_AUTH_TOKEN?: string;
  /**
   * On one machine: the way to DATABASE_URL, so that it need not be reachable for anything else that the Worker calls
   * (docs/deploy/one-machine.md). Unset: the network.
   */
  DATABASE?: Fetcher;
  /** At least 32 characters; keys' tags and sessions are signed with it. Changing it invalidates both. */
  BELLHOP_SECRET: string;
  /** Opens a fresh deployment; unset in production (design 7). */
  BOOTSTRAP_ADMIN_TOKEN?: string;
  /** The deployment's public address, for webhook URLs; the request's own origin when unset. */
  PUBLIC_URL?: string;
  /**
   * The header in which a proxy of one's own names the caller's address: `X-Real-IP`, or `X-Forwarded-For`, of which the
   * last counts. The proxy must set it on every request, and nobody may get past the proxy: whoever can send the header
   * can pretend to be anybody. wrangler.toml sets Cloudflare's, `CF-Connecting-IP`. Unset: callers have no address, and
   * attempts to sign in are counted for the e-mail alone.
   */
  TRUSTED_CLIENT_IP_HEADER?: string;
  /** Lets Prometheus read `/metrics` and nothing else, also while the database is away. At least 16 characters. */
  METRICS_TOKEN?: string;
  /**
   * DEBUG, INFO, WARNING or ERROR; INFO when unset: failures, refusals, and every change. DEBUG adds reads and idle
   * polls, which is a line for each poll of each agent.
   */
  LOG_LEVEL?: string;
  /**
   * The header in which one's own proxy names a request, such as `CF-Ray` or `X-Request-Id`: the log and the answers use
   * that id. Unset: every request gets an id of ours, and what a caller sends is not looked at.
   */
  TRUSTED_REQUEST_ID_HEADER?: string;
  /**
   * `true`: a draft that removes or weakens an approval is published by a person who did not change that draft, and by
   * no one else. Unset: by everyone who may publish.
   */
  REQUIRE_SECOND_PUBLISHER?: string;
  /** How long an idle agent with an open wake socket waits between polls: 1 to 600 seconds; 60 when unset. */
  IDLE_POLL_SECONDS?: string;

  /**
   * OIDC (design 7): bearer tokens of this issuer are accepted, and people sign in with it when there is a client. The
   * https:// address exactly as its tokens' `iss` has it. The client's redirect URI is
   * <deployment>/api/v1/auth/oidc/callback.
   */
  OIDC_ISSUER?: string;
  /** What a bearer token's `aud` must contain; the client id when unset. */
  OIDC_AUDIENCE?: string;
  OIDC_CLIENT_ID?: string;
  OIDC_CLIENT_SECRET?: string;
  /**
   * The claim that holds roles, by name or path (`realm_access.roles`): the issuer then decides them, and whoever has
   * none of ours is kept out. Unset: administrators decide them here.
   */
  OIDC_ROLE_CLAIM?: string;
  /**
   * The role of whom the issuer knows and nobody here does, or of whom the claim gives none. Unset keeps them out. With
   * an issuer that the whole world has accounts with, leave it unset.
   */
  OIDC_DEFAULT_ROLE?: string;
  /** `true` for an issuer that vouches for e-mail addresses and does not say so: it sends no `email_verified`. */
  OIDC_TRUST_EMAIL?: string;

  /**
   * The console's files, as `npm run build:console` writes them: the platform's static assets, or on one machine
   * workerd's `disk` service.
   */
  CONSOLE?: Fetcher;
  /** Where published releases of the agent lie (`npm run publish:agent`): a bucket, or on one machine workerd's `disk` service. */
  DOWNLOADS?: R2Bucket;
  DOWNLOADS_DISK?: Fetcher;
  /**
   * Base64 of the public key that releases are signed with, as `npm run build:agent -- --all` prints it. The install
   * scripts then check the signature, too.
   */
  BELLHOP_RELEASE_PUBLIC_KEY?: string;

  /** Notification channels (design 5): what is not set is not configured. */
  NOTIFY_EMAIL_FROM?: string;
  /** smtp://user:password@host:587 (STARTTLS, except on this machine) or smtps://…:465. */
  NOTIFY_SMTP_URL?: string;
  /** An HTTP provider instead of SMTP: it is sent `{from, to, subject, text}` with the key as a bearer token. */
  NOTIFY_EMAIL_API_URL?: string;
  NOTIFY_EMAIL_API_KEY?: string;
  /** Twilio's, or another service with the same interface; https://api.twilio.com when unset. */
  NOTIFY_SMS_API_URL?: string;
  NOTIFY_SMS_ACCOUNT_SID?: string;
  NOTIFY_SMS_AUTH_TOKEN?: string;
  NOTIFY_SMS_FROM?: string;
  /** Signs webhook notifications (Standard Webhooks): `whsec_<base64>`, several separated by spaces during a change. */
  NOTIFY_WEBHOOK_SECRET?: string;
  /** `true` lets webhook notifications go to this machine and to private networks. Names are not looked up: only addresses that stand in `to` are refused without it. */
  NOTIFY_WEBHOOK_ALLOW_PRIVATE?: string;
}
