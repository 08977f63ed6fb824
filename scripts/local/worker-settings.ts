/** What may be set of the Worker from outside (`worker/env.ts`); the rest is this machine's own, such as its database. */
const PASSED_ON =
  /^(?:NOTIFY_\w+|OIDC_\w+|TRUSTED_\w+_HEADER|PUBLIC_URL|METRICS_TOKEN|LOG_LEVEL|REQUIRE_SECOND_PUBLISHER|IDLE_POLL_SECONDS|BELLHOP_RELEASE_PUBLIC_KEY)$/u;

/**
 * What `wrangler secret put` and wrangler.toml are elsewhere: `npm start` takes the service's settings from its own
 * environment. What is set to nothing is not set.
 */
export function workerSettings(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = ""]) =>
      PASSED_ON.test(name) && value.trim() !== "" ? [[name, value]] : [],
    ),
  );
}
