import type { Env } from "../env.ts";
import { oidcProblems } from "./oidc/settings.ts";

const SECRET_MIN_CHARS = 32;
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
  return [...problems, ...oidcProblems(env)];
}

/** The header in which one's own proxy names callers; null when none is set, or what is set is no header's name. */
export function clientIpHeader({ TRUSTED_CLIENT_IP_HEADER: name = "" }: Env): string | null {
  return HEADER_NAME.test(name) ? name : null;
}
