import { deleteConnectionRow } from "../../store/connections.ts";
import { withdrawCredentials } from "../../store/credential-ends.ts";
import { findHolders } from "../../store/credentials.ts";
import { orderSyncs } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { requireUnused } from "../require-unused.ts";
import { changeConnection } from "./change-connection.ts";

/**
 * Deletes a connection, and marks its credential for deletion on every agent that has it
 * (docs/design/connections.md#edits). Throws `conflict` while published workflows use it, unless it is forced.
 */
export async function deleteConnection(
  deps: Deps,
  actor: string,
  id: string,
  { expected = null, isForced = false }: { expected?: ExpectedRevisions; isForced?: boolean } = {},
): Promise<{ id: string }> {
  await changeConnection(
    deps,
    id,
    async (row) => {
      if (!isForced) await requireUnused(deps, "connection", id);
      return {
        write: deleteConnectionRow(deps.db, row),
        also: withdrawCredentials(deps.db, id, deps.now()),
        audit: { actor, verb: "delete", detail: { name: row.name, type: row.type } },
      };
    },
    expected,
  );
  await orderSyncs(deps, await findHolders(deps.db, id));
  return { id };
}
