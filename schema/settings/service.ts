import { roleSchema } from "../contract/people.ts";
import { POLL_AFTER_SECONDS_DEFAULT, POLL_AFTER_SECONDS_MAX, POLL_AFTER_SECONDS_MIN } from "../limits.ts";
import {
  parseAccountSid,
  parseApiAddress,
  parseMailSender,
  parseSmsSender,
  parseSmtpServer,
  parseWebhookSecrets,
  SMS_API_URL_DEFAULT,
} from "./notification.ts";
import { parseHeaders, parseShare, parseTraceAddress } from "./tracing.ts";
import {
  anyText,
  LOG_LEVEL_DEFAULT,
  LOG_LEVELS,
  oneOf,
  releaseKey,
  textLike,
  trueOrFalse,
  valid,
  wholeNumber,
} from "./parse.ts";
import { defaulting, readerOf, secret, variable } from "./setting.ts";
import type { Parsed } from "./setting.ts";
import { isBucketUrl, isDatabaseUrl, isSafeUrl, parsedUrl } from "./url.ts";

const SECRET_MIN_CHARS = 32;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/u;

/** Every setting of the service that is text, in the order of docs/deploy.md, whose table derives from this list. */
export const SERVICE_SETTINGS = {
  DATABASE_URL: variable(
    "`libsql://…turso.io`, or another sqld ([start it so](design/databases.md#a-sqld-of-your-own)); on one machine the installation sets it",
    (text) =>
      valid(
        isDatabaseUrl(text) ? text : null,
        "must begin with libsql:// or https:// (http:// only for this machine), without a token in it: set DATABASE_AUTH_TOKEN",
      ),
    { note: "**required**", give: "the libSQL database's address" },
  ),
  DATABASE_AUTH_TOKEN: secret("the token for that database", anyText, { note: "**required**" }),
  // Keys are signed with it: without its spaces it would be another secret.
  BELLHOP_SECRET: secret(
    `at least ${SECRET_MIN_CHARS} random characters, \`openssl rand -hex 32\`. Keep a copy apart from the backups: see "Changing secrets"`,
    (_text, whole) =>
      valid(
        whole.length >= SECRET_MIN_CHARS ? whole : null,
        `must have at least ${SECRET_MIN_CHARS} characters: openssl rand -hex 32`,
      ),
    { note: "**required**", give: `at least ${SECRET_MIN_CHARS} random characters: openssl rand -hex 32` },
  ),
  BOOTSTRAP_ADMIN_TOKEN: secret(
    "the administrator's token of a new deployment; remove it when there is an administrator",
    anyText,
    {
      note: "at first",
    },
  ),
  PUBLIC_URL: variable(
    "the address that people and agents use, `https://bellhop.example.org`; webhook addresses show it. Unset: the address of each call",
    parseOrigin,
    { note: "advised" },
  ),
  TRUSTED_CLIENT_IP_HEADER: variable(
    "the header in which your proxy names callers, such as `X-Real-IP`, or `X-Forwarded-For` (its last address counts). `CF-Connecting-IP` is set for Cloudflare. The proxy must set it on every request, and no one may get past the proxy: a caller who can send the header can take any address. Without it an account takes 10 wrong passwords in 15 minutes, then one attempt a minute",
    textLike(HEADER_NAME, "must be the name of a header, such as X-Real-IP"),
    { note: "advised" },
  ),
  TRUSTED_REQUEST_ID_HEADER: variable(
    "the header in which your proxy names a request, for the log. `CF-Ray` is set for Cloudflare. Unset: the service creates the id",
    textLike(HEADER_NAME, "must be the name of a header, such as CF-Ray"),
  ),
  REQUIRE_SECOND_PUBLISHER: defaulting(
    false,
    "`true`: only a person who did not change a draft may publish it, if the draft removes or weakens an approval ([Approvals](workflows.md#approvals)). Unset: everyone who may publish",
    trueOrFalse,
    { whenWrong: true },
  ),
  IDLE_POLL_SECONDS: defaulting(
    POLL_AFTER_SECONDS_DEFAULT,
    `seconds between two polls of an idle agent with an open wake socket: ${POLL_AFTER_SECONDS_MIN} to ${POLL_AFTER_SECONDS_MAX}, ${POLL_AFTER_SECONDS_DEFAULT} when unset. A new job wakes it immediately. Fewer polls cost less ([Scale](scale.md))`,
    wholeNumber(POLL_AFTER_SECONDS_MIN, POLL_AFTER_SECONDS_MAX),
  ),
  METRICS_TOKEN: secret(
    "lets Prometheus read `/metrics` and nothing else, also while the database is down; at least 16 characters",
    textLike(/^.{16}/su, "must have at least 16 characters: openssl rand -hex 32"),
  ),
  LOG_LEVEL: defaulting(
    LOG_LEVEL_DEFAULT,
    "`DEBUG`, `INFO`, `WARNING` or `ERROR`; `INFO` when unset. `DEBUG` adds a line for each read and each idle poll",
    oneOf(LOG_LEVELS),
  ),
  // Install scripts with a missing check are worse than none, so a wrong key stops their delivery.
  BELLHOP_RELEASE_PUBLIC_KEY: variable(
    "the key that releases of the agent are signed with, as `npm run build:agent -- --all` prints it; the install scripts then check the signature, too",
    releaseKey,
    { whenWrong: "wrong" },
  ),
  OIDC_ISSUER: variable("single sign-on: the issuer's `https://` address, exactly as in its tokens", (text) =>
    valid(isSafeUrl(text) ? text : null, "must be an https:// address, as the issuer's own tokens spell it"),
  ),
  OIDC_CLIENT_ID: variable(
    "the client that people sign in with; its redirect URI is `<PUBLIC_URL>/api/v1/auth/oidc/callback`",
    anyText,
  ),
  OIDC_CLIENT_SECRET: secret("the client's secret", anyText),
  OIDC_AUDIENCE: variable("the audience that bearer tokens must have in `aud`; the client id when unset", anyText),
  OIDC_ROLE_CLAIM: variable(
    "the claim with roles, by name or path (`realm_access.roles`). The issuer then decides the roles, and people without a role have no access. Unset: administrators decide the roles here",
    anyText,
  ),
  OIDC_DEFAULT_ROLE: variable(
    "the role of people who sign in for the first time, or whose claim has no role. Unset: they have no access. Leave it unset when anyone can create an account at the issuer",
    (text) => valid(roleSchema.safeParse(text).data, `must be one of ${roleSchema.options.join(", ")}`),
  ),
  OIDC_TRUST_EMAIL: defaulting(
    false,
    "`true` for an issuer that verifies email addresses but sends no `email_verified`",
    trueOrFalse,
  ),
  NOTIFY_EMAIL_FROM: variable(
    "the sender of mail; needs `NOTIFY_SMTP_URL` or `NOTIFY_EMAIL_API_URL`",
    parseMailSender,
    { give: "the address that messages come from" },
  ),
  NOTIFY_SMTP_URL: secret("`smtps://user:password@host:465`, or `smtp://…:587` with STARTTLS", parseSmtpServer, {
    give: "the mail server, like smtp://user:password@mail.example.com:587 (or set NOTIFY_EMAIL_API_URL instead)",
  }),
  NOTIFY_EMAIL_API_URL: variable(
    "a provider's HTTP API instead of SMTP: it gets `{from, to, subject, text}`, with the key as a bearer token",
    parseApiAddress,
  ),
  NOTIFY_EMAIL_API_KEY: secret("the key of that API", anyText, { give: "the key of the mail provider's API" }),
  NOTIFY_SMS_ACCOUNT_SID: variable("Twilio's, or another service with the same interface", parseAccountSid, {
    give: "the provider's account SID",
  }),
  NOTIFY_SMS_AUTH_TOKEN: secret("the account's token", anyText, { give: "the account's auth token" }),
  NOTIFY_SMS_FROM: variable("the sender's number", parseSmsSender, {
    give: "the number, like +15005550006, that messages come from",
  }),
  NOTIFY_SMS_API_URL: defaulting(
    SMS_API_URL_DEFAULT,
    "another service's address; Twilio's when unset",
    parseApiAddress,
  ),
  NOTIFY_WEBHOOK_SECRET: secret(
    "signs webhook notifications: `whsec_` and 32 random bytes in base64. To change it, set the new and the old one, separated by a space",
    parseWebhookSecrets,
    { give: "whsec_ and 24 to 64 random bytes in base64" },
  ),
  NOTIFY_WEBHOOK_ALLOW_PRIVATE: defaulting(
    false,
    "`true` lets webhook, Slack and Teams notifications go to private addresses, and mail servers and APIs that are set up in the console be there. Without it, private addresses are refused; names are not looked up",
    trueOrFalse,
  ),
  RETENTION_EXPORT_DIRECTORY: variable(
    "only on one machine: a directory that gets old executions and audit entries before they are deleted, such as `/var/lib/bellhop/exports` ([Retention](retention.md#into-a-directory)). Unset, with the next one: they are deleted without an export",
    textLike(/^\/.*[^/]/u, "must be an absolute path, such as /var/lib/bellhop/exports"),
  ),
  RETENTION_EXPORT_URL: variable(
    "instead of the directory, a bucket of S3-compatible storage: `https://<host>/<bucket>` or `https://<host>/<bucket>/<prefix>` ([Retention](retention.md#into-a-bucket))",
    (text) =>
      valid(
        isBucketUrl(text) ? parsedUrl(text)?.href.replace(/\/$/u, "") : null,
        "must be an https address with a bucket, such as https://s3.eu-central-1.amazonaws.com/my-bucket/bellhop, with letters, digits, '.', '_' and '-' only; http is only for this machine",
      ),
    { give: "the address of the bucket, like https://s3.eu-central-1.amazonaws.com/my-bucket" },
  ),
  RETENTION_EXPORT_REGION: defaulting(
    "auto",
    "the bucket's region, such as `eu-central-1`; `auto`, as for R2, when unset",
    textLike(/^[a-z0-9-]{1,64}$/u, "must be a region such as eu-central-1"),
  ),
  RETENTION_EXPORT_ACCESS_KEY_ID: variable(
    "the id of an access key that may write objects to the bucket",
    textLike(/^[\w-]{1,128}$/u, "must be the id of an access key"),
    { give: "the id of an access key for the bucket" },
  ),
  RETENTION_EXPORT_SECRET_ACCESS_KEY: secret("the secret of that access key", anyText, {
    give: "the secret of the access key",
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    "traces: the address of a receiver of OTLP over HTTP, such as `https://otel.example.org:4318`. Spans go to `/v1/traces` below it as JSON ([Traces](operations.md#traces)). Unset, with the next one: no traces",
    parseTraceAddress,
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: variable(
    "the whole address for spans, in place of the one that follows from `OTEL_EXPORTER_OTLP_ENDPOINT`",
    parseTraceAddress,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    "headers for the receiver, such as `authorization=Bearer%20<token>`: separated by commas, with values in percent encoding",
    parseHeaders,
  ),
  OTEL_TRACES_SAMPLER_ARG: defaulting(1, "the share of runs that are traced, from 0 to 1; 1 when unset", parseShare),
  OTEL_SERVICE_NAME: defaulting("bellhop", "the name of this deployment in traces; `bellhop` when unset", anyText),
};

export type ServiceReader = ReturnType<typeof serviceReader>;

export function serviceReader(environment: object, problems: string[]) {
  return readerOf(SERVICE_SETTINGS, environment, problems, (name, kind) => {
    // Only a service on one machine has its own way to the database, and besides it only npm start has releases on a disk.
    if ("DATABASE" in environment)
      return `: in /etc/bellhop/${name.startsWith("DATABASE_") ? "database" : "bellhop"}.env`;
    if ("DOWNLOADS_DISK" in environment) return ": in the environment of npm start";
    return kind === "secret" ? `: with "wrangler secret put ${name}"` : ": in wrangler.toml";
  });
}

function parseOrigin(text: string): Parsed<string> {
  const url = parsedUrl(text);
  return valid(
    url !== null && /^https?:$/u.test(url.protocol) ? url.origin : null,
    "must be the address of this deployment, such as https://bellhop.example.com",
  );
}
