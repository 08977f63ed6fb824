import { deleteCredentialsOfAgent } from "../../store/credential-ends.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAgent } from "./change-agent.ts";

/** No key has this hash: bcrypt's have 60 characters. */
const NO_KEY_HASH = "deleted";

/**
 * Deletes an agent for good. Its dispatcher hears it first: what the agent had not fetched goes to others or fails
 * (docs/design/dispatch.md#agent-settings). The row stays, marked, so that its jobs can still say who ran them.
 */
export async function deleteAgent(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<{ id: string }> {
  await changeAgent(
    deps,
    id,
    (row) => ({
      changes: { deletedAt: deps.now(), keyHash: NO_KEY_HASH },
      also: deleteCredentialsOfAgent(deps.db, row),
      audit: { actor, verb: "delete", detail: { name: row.name, poolId: row.poolId } },
    }),
    expected,
  );
  return { id };
}
