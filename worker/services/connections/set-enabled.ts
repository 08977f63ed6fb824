import type { ConnectionView } from "../../../schema/contract/management.ts";
import { updateConnection } from "../../store/connections.ts";
import type { Deps } from "../deps.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeConnection } from "./change-connection.ts";
import { getConnection } from "./get.ts";

/** A disabled connection cannot be chosen, and its jobs fail (docs/design/connections.md#edits). Safe to repeat. */
export async function setConnectionEnabled(
  deps: Deps,
  actor: string,
  id: string,
  enabled: boolean,
  expected: ExpectedRevisions = null,
): Promise<ConnectionView> {
  await changeConnection(
    deps,
    id,
    (row) =>
      row.enabled === enabled
        ? null
        : {
            write: updateConnection(deps.db, row, { enabled, updatedAt: deps.now() }),
            audit: { actor, verb: enabled ? "enable" : "disable", detail: { name: row.name } },
          },
    expected,
  );
  return getConnection(deps, id);
}
