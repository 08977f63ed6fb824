import type { z } from "zod";
import { enrolRequestSchema } from "../../../schema/contract/agent.ts";
import type { enrolResponseSchema } from "../../../schema/contract/agent.ts";
import { ENROLMENT_ATTEMPTS_PER_MINUTE } from "../../../schema/limits.ts";
import { findAgentByEnrolment } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";
import { checkEnrolmentCode, mintAgentKey } from "../keys.ts";
import { parseInput } from "../parse.ts";
import { ProblemError } from "../problem.ts";
import { RateLimit } from "../rate-limit.ts";
import { secretDigest } from "../secret-digest.ts";
import { hashSecret } from "../secret-hash.ts";
import { changeAgent } from "./change-agent.ts";

const COUNTED_MAX = 10_000;
/** One for each isolate. Addresses count wrong codes alone, so no one can shut out the holder of a right one. */
const attempts = new RateLimit({ limit: ENROLMENT_ATTEMPTS_PER_MINUTE, windowMs: 60_000 }, COUNTED_MAX);

/**
 * Exchanges an enrolment code for a new key, which replaces the agent's earlier one. Of several uses of a code one gets
 * a key, and the others get `gone` (docs/design/http-api.md#enrolment).
 */
export async function enrolAgent(
  deps: Deps,
  address: string | null,
  input: unknown,
): Promise<{ agentId: string } & z.infer<typeof enrolResponseSchema>> {
  const { code } = parseInput(enrolRequestSchema, input);
  if (!checkEnrolmentCode(deps.settings.secret, code)) {
    count(deps, `address ${address ?? ""}`);
    throw new ProblemError(
      "unauthorized",
      "This service did not make this enrolment code. Copy the whole code again.",
      {
        headers: { "WWW-Authenticate": "Bearer" },
      },
    );
  }
  const enrolmentDigest = secretDigest(code);
  count(deps, `code ${enrolmentDigest}`);
  const found = await findAgentByEnrolment(deps.db, enrolmentDigest);
  if (found === null) throw gone("was used or replaced");
  const { prefix, key } = mintAgentKey(deps.settings.secret);
  const keyHash = await hashSecret(key);
  const { id } = await changeAgent(deps, found.id, (row) => {
    if (row.enrolmentDigest !== enrolmentDigest) throw gone("was used or replaced");
    if (row.registration !== null) throw gone("is of an agent that has registered");
    if (deps.now() >= (row.enrolmentExpiresAt ?? 0)) throw gone("has expired");
    return {
      changes: { keyPrefix: prefix, keyHash, enrolmentDigest: null, enrolmentExpiresAt: null },
      audit: { actor: `agent:${row.id}`, verb: "enrol", detail: { name: row.name } },
    };
  });
  return { agentId: id, apiKey: key };
}

function count(deps: Deps, key: string): void {
  const retryAfterSeconds = attempts.enter(key, deps.now());
  if (retryAfterSeconds === null) return;
  throw new ProblemError("rate_limit_exceeded", `Too many attempts to enrol. Try again in ${retryAfterSeconds} s.`, {
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}

function gone(what: string): ProblemError {
  return new ProblemError("gone", `This enrolment code ${what}. Create another code on the agent's page in Bellhop.`);
}
