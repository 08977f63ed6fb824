import { nearestValue } from "../../schema/contract/nearest-value.ts";
import { SERVICE_SETTINGS, serviceReader } from "../../schema/settings/service.ts";
import type { Env } from "../env.ts";
import { exportSettings } from "./export-settings.ts";
import { logError, logWarning, setLogLevel } from "./log.ts";
import { channelsOfEnvironment } from "./notification-settings.ts";
import { oidcSettings } from "./oidc-settings.ts";
import { ProblemError } from "./problem.ts";
import { traceSettings } from "./trace-settings.ts";

export type Settings = ReturnType<typeof parseSettings>;

const NAMES = Object.keys(SERVICE_SETTINGS);
const parsed = new WeakMap<object, Settings>();

/** The deployment's settings, parsed once per isolate. The log shows their problems. */
export function settingsOf<E extends object>(env: E & Pick<Env, "EXPORT_DIRECTORY">): Settings {
  const known = parsed.get(env);
  if (known !== undefined) return known;
  const settings = parseSettings(env);
  parsed.set(env, settings);
  setLogLevel(settings.logLevel);
  if (settings.problems.length > 0) logError("settings are wrong", { problems: settings.problems.join(" ") });
  for (const name of settings.unknown) {
    logWarning("an environment variable is not a setting of the service", { name, meant: nearestValue(NAMES, name) });
  }
  return settings;
}

/** A wrong setting counts as its declaration says; `/readyz` shows the problems. */
export function parseSettings<E extends object>(env: E & Pick<Env, "EXPORT_DIRECTORY">) {
  const wrong: string[] = [];
  const reader = serviceReader(env, wrong);
  const { read, need } = reader;
  const secret = need("BELLHOP_SECRET");
  const databaseUrl = need("DATABASE_URL");
  const settings = {
    /** At least 32 characters. It signs keys' tags and sessions; changing it invalidates both. */
    get secret() {
      return orUnavailable(secret);
    },
    get databaseUrl() {
      return orUnavailable(databaseUrl);
    },
    databaseToken: read("DATABASE_AUTH_TOKEN"),
    bootstrapToken: read("BOOTSTRAP_ADMIN_TOKEN"),
    /** The deployment's public address without a trailing slash; null uses the address of the request. */
    publicOrigin: read("PUBLIC_URL"),
    clientIpHeader: read("TRUSTED_CLIENT_IP_HEADER"),
    requestIdHeader: read("TRUSTED_REQUEST_ID_HEADER"),
    requiresSecondPublisher: read("REQUIRE_SECOND_PUBLISHER"),
    /** How long an idle agent with an open wake socket waits between polls. */
    idlePollSeconds: read("IDLE_POLL_SECONDS"),
    metricsToken: read("METRICS_TOKEN"),
    logLevel: read("LOG_LEVEL"),
    /** Base64 of the 32-byte key, or `wrong`. */
    releasePublicKey: read("BELLHOP_RELEASE_PUBLIC_KEY"),
    oidc: oidcSettings(reader, wrong),
    /** Null: records are deleted without an export. */
    recordExport: exportSettings(reader, wrong, env.EXPORT_DIRECTORY),
    /** Null: no traces. */
    tracing: traceSettings(reader, wrong),
    /** A wrongly set channel reports its own problems; the other channels and the deployment keep working. */
    channelsOfEnvironment: channelsOfEnvironment(env),
    problems: wrong.map((problem) => `${problem}.`),
    /** Text variables that are not settings, possibly misspelt ones. */
    unknown: Object.entries(env).flatMap(([name, value]) =>
      typeof value === "string" && !Object.hasOwn(SERVICE_SETTINGS, name) ? [name] : [],
    ),
  };
  return settings;

  function orUnavailable(value: string | null): string {
    if (value !== null) return value;
    throw new ProblemError(
      "unavailable",
      `The deployment cannot serve with its settings. ${settings.problems.join(" ")}`,
    );
  }
}
