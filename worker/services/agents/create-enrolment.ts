import type { z } from "zod";
import type { enrolmentSchema } from "../../../schema/contract/management.ts";
import { ENROLMENT_CODE_LASTS_MS } from "../../../schema/limits.ts";
import type { Deps } from "../deps.ts";
import { mintEnrolmentCode } from "../keys.ts";
import { ProblemError } from "../problem.ts";
import { secretDigest } from "../secret-digest.ts";
import { changeAgent } from "./change-agent.ts";

/** Gives an agent that never registered a code, shown only now, in place of its earlier one (`enrolAgent`). */
export async function createEnrolment(deps: Deps, actor: string, id: string): Promise<z.infer<typeof enrolmentSchema>> {
  const code = mintEnrolmentCode(deps.settings.secret);
  const enrolmentDigest = secretDigest(code);
  const enrolmentExpiresAt = deps.now() + ENROLMENT_CODE_LASTS_MS;
  const expiresAt = new Date(enrolmentExpiresAt).toISOString();
  await changeAgent(deps, id, (row) => {
    if (row.registration !== null) {
      throw new ProblemError(
        "conflict",
        `The agent ${row.name} has already registered, so it needs no enrolment code. To replace its key, regenerate it.`,
      );
    }
    return {
      changes: { enrolmentDigest, enrolmentExpiresAt },
      audit: { actor, verb: "enrolment-code", detail: { name: row.name, expiresAt } },
    };
  });
  return { code, expiresAt };
}
