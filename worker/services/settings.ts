import { pollAfterSecondsSchema } from "../../schema/contract/agent.ts";
import { POLL_AFTER_SECONDS_DEFAULT } from "../../schema/limits.ts";
import type { Env } from "../env.ts";
import { LOG_LEVELS, logLevelOf } from "./log.ts";
import { oidcProblems } from "./oidc-settings.ts";

const SECRET_MIN_CHARS = 32;
const METRICS_TOKEN_MIN_CHARS = 16;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/u;

/** What is wrong with the deployment's settings, in words; empty when it can serve. `/readyz` shows it. */
export function settingsProblems(env: Env): string[] {
  const problems: string[] = [];
  if ((env.BELLHOP_SECRET ?? "").length < SECRET_MIN_CHARS) {
    problems.push(
      `BELLHOP_SECRET must have at least ${SECRET_MIN_CHARS} characters: set it with "wrangler secret put".`,
    );
  }
  if ((env.DATABASE_URL ?? "") === "") problems.push("DATABASE_URL is not set: give the libSQL database's address.");
  const publicUrl = env.PUBLIC_URL ?? "";
  if (publicUrl !== "" && !/^https?:$/u.test(URL.parse(publicUrl)?.protocol ?? "")) {
    problems.push("PUBLIC_URL must be the address that people reach this deployment by: https://….");
  }
  if ((env.TRUSTED_CLIENT_IP_HEADER ?? "") !== "" && clientIpHeader(env) === null) {
    problems.push("TRUSTED_CLIENT_IP_HEADER must be the name of a header, such as X-Real-IP.");
  }
  if ((env.TRUSTED_REQUEST_ID_HEADER ?? "") !== "" && requestIdHeader(env) === null) {
    problems.push("TRUSTED_REQUEST_ID_HEADER must be the name of a header, such as CF-Ray.");
  }
  const metricsToken = env.METRICS_TOKEN ?? "";
  if (metricsToken !== "" && metricsToken.length < METRICS_TOKEN_MIN_CHARS) {
    problems.push(`METRICS_TOKEN must have at least ${METRICS_TOKEN_MIN_CHARS} characters: openssl rand -hex 32.`);
  }
  if ((env.LOG_LEVEL ?? "") !== "" && logLevelOf(env.LOG_LEVEL) === null) {
    problems.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}.`);
  }
  if (!["", "true", "false"].includes(env.REQUIRE_SECOND_PUBLISHER ?? "")) {
    problems.push("REQUIRE_SECOND_PUBLISHER must be true or false, or not be set.");
  }
  if (
    (env.IDLE_POLL_SECONDS ?? "") !== "" &&
    !pollAfterSecondsSchema.safeParse(Number(env.IDLE_POLL_SECONDS)).success
  ) {
    problems.push("IDLE_POLL_SECONDS must be a whole number from 1 to 600.");
  }
  return [...problems, ...oidcProblems(env)];
}

/** Whether a draft that asks for less approval needs another publisher; a wrong value counts as true. */
export function requiresSecondPublisher({ REQUIRE_SECOND_PUBLISHER: set = "" }: Env): boolean {
  return set !== "" && set !== "false";
}

/** How long an idle agent with an open wake socket waits between polls (seconds); the default where a wrong value is set. */
export function idlePollSeconds({ IDLE_POLL_SECONDS: set = "" }: Env): number {
  const seconds = set === "" ? null : pollAfterSecondsSchema.safeParse(Number(set));
  return seconds?.data ?? POLL_AFTER_SECONDS_DEFAULT;
}

/** The header in which one's own proxy names requests; null when none is set, or what is set is no header's name. */
export function requestIdHeader({ TRUSTED_REQUEST_ID_HEADER: name = "" }: Env): string | null {
  return HEADER_NAME.test(name) ? name : null;
}

/** The header in which one's own proxy names callers; null when none is set, or what is set is no header's name. */
export function clientIpHeader({ TRUSTED_CLIENT_IP_HEADER: name = "" }: Env): string | null {
  return HEADER_NAME.test(name) ? name : null;
}
