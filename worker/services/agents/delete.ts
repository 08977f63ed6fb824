import { deleteCredentialsOfAgent } from "../../store/credential-ends.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAgent } from "./change-agent.ts";

/** No key has this hash: a bcrypt hash has 60 characters. */
const NO_KEY_HASH = "deleted";

/**
 * Deletes an agent for good. The dispatcher is notified first: jobs that the agent had not fetched go to others or fail
 * (docs/design/dispatch.md#agent-settings). The row stays, marked as deleted, so that its jobs can still name it.
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
