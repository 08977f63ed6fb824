import { deleteConnectionRow, withdrawCredentials } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeConnection } from "./change-connection.ts";

/** Deletes a connection, and marks its credential for deletion on every agent that has it (specification). */
export async function deleteConnection(
  deps: Deps,
  actor: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<{ id: string }> {
  await changeConnection(
    deps,
    id,
    (row) => ({
      write: deleteConnectionRow(deps.db, row),
      also: [withdrawCredentials(deps.db, id, deps.now())],
      audit: { actor, verb: "delete", detail: { name: row.name, type: row.type } },
    }),
    expected,
  );
  return { id };
}
