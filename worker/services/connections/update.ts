import type { z } from "zod";
import { updateConnectionSchema } from "../../../schema/contract/management.ts";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import type { FieldError } from "../../../schema/contract/problem.ts";
import { updateConnection as updateConnectionRow } from "../../store/connections.ts";
import type { ConnectionChanges, ConnectionRow } from "../../store/connections.ts";
import { withdrawFromFormer } from "../../store/credential-ends.ts";
import { findHolders } from "../../store/credentials.ts";
import { orderSyncs } from "../credentials/order-syncs.ts";
import type { Deps } from "../deps.ts";
import { checkInput, invalidInput, isJsonObject, partsOf } from "../parse.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeConnection } from "./change-connection.ts";
import { assignmentErrors } from "./check-assignment.ts";
import { checkConfig } from "./check-config.ts";
import { getConnection } from "./get.ts";
import { unmaskConfig } from "./mask.ts";

const FIXED_TYPE = "cannot be changed: create another connection instead";

type Body = z.infer<typeof updateConnectionSchema>;

/**
 * Changes what the body names and leaves the rest. `config` is replaced as a whole; the type stays what it is. A
 * connection given to an agent leaves its pool, and the other way round.
 */
export async function updateConnection(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<ConnectionView> {
  await changeConnection(
    deps,
    id,
    async (row) => {
      const changes = await check(deps, row, input);
      const fields = Object.keys(changes);
      if (fields.length === 0) return null;
      return {
        write: updateConnectionRow(deps.db, row, { ...changes, updatedAt: deps.now() }),
        also: isAssigned(changes) ? [withdrawFromFormer(deps.db, row, deps.now())] : [],
        audit: { actor, verb: "update", detail: { name: changes.name ?? row.name, fields } },
      };
    },
    expected,
  );
  if (isAssigned(partsOf(input))) await orderSyncs(deps, await findHolders(deps.db, id));
  return getConnection(deps, id);
}

async function check(deps: Deps, row: ConnectionRow, input: unknown): Promise<ConnectionChanges> {
  const body = checkInput(updateConnectionSchema, input);
  const sent = partsOf(input);
  const config = isJsonObject(sent["config"])
    ? checkConfig(row.type, unmaskConfig(row.type, sent["config"], row.config))
    : null;
  const errors: FieldError[] = [
    ...(body.ok ? [] : body.errors.map((error) => (error.path === "type" ? { ...error, message: FIXED_TYPE } : error))),
    ...(config === null || config.ok ? [] : config.errors),
    ...(await assignmentErrors(deps, sent["agentId"])),
  ];
  if (!body.ok || errors.length > 0) throw invalidInput(errors);
  return {
    ...(body.data.name === undefined ? {} : { name: body.data.name }),
    ...(config?.ok === true ? { config: config.data } : {}),
    ...assignment(body.data),
  };
}

function assignment({ agentId, poolId }: Body): Pick<ConnectionChanges, "agentId" | "poolId"> {
  if (typeof agentId === "string") return { agentId, poolId: null };
  if (typeof poolId === "string") return { agentId: null, poolId };
  return { ...(agentId === null ? { agentId } : {}), ...(poolId === null ? { poolId } : {}) };
}

/** What the agents that had it before must give up. */
function isAssigned({ agentId, poolId }: { agentId?: unknown; poolId?: unknown }): boolean {
  return agentId !== undefined || poolId !== undefined;
}
