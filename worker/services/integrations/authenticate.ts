import type { IntegrationKind } from "../../../schema/contract/integration.ts";
import { findIntegrationByPrefix } from "../../store/integrations.ts";
import type { IntegrationRow } from "../../store/integrations.ts";
import type { Deps } from "../deps.ts";
import { checkIntegrationKey } from "../keys.ts";
import { ProblemError } from "../problem.ts";
import { keyMatches } from "./key-hash.ts";
import type { RequestLimit } from "./request-limit.ts";

/**
 * The integration of a delivery's address. Throws the problem with the address. A key that this deployment cannot have
 * made, or that comes too often, costs no query. The row is read for every delivery, so that a deletion holds
 * immediately (invariant 8).
 */
export async function authenticateIntegration(
  deps: Deps,
  limit: RequestLimit,
  kind: IntegrationKind,
  key: string,
): Promise<IntegrationRow> {
  const checked = checkIntegrationKey(deps.settings.secret, key);
  if (checked === null) throw noSuchKey(kind);
  const retryAfterSeconds = limit.enter(checked.prefix, deps.now());
  if (retryAfterSeconds !== null) {
    throw new ProblemError(
      "rate_limit_exceeded",
      `This integration sends too many requests. Try again in ${retryAfterSeconds} s.`,
      { headers: { "Retry-After": String(retryAfterSeconds) } },
    );
  }
  const row = await findIntegrationByPrefix(deps.db, checked.prefix);
  if (row === null || row.kind !== kind || !keyMatches(key, row.keyHash)) throw noSuchKey(kind);
  return row;
}

function noSuchKey(kind: IntegrationKind): ProblemError {
  return new ProblemError(
    "not_found",
    `There is no ${kind} integration with this key. Create one and use its address as it was shown.`,
  );
}
