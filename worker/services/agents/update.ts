import { updateAgentSchema } from "../../../schema/contract/management.ts";
import type { AgentView } from "../../../schema/contract/management.ts";
import type { AgentChanges } from "../../store/agents.ts";
import { withdrawFromMoved } from "../../store/credential-ends.ts";
import { orderSyncs } from "../credentials/index.ts";
import type { Deps } from "../deps.ts";
import { parseInput } from "../parse.ts";
import type { ExpectedRevisions } from "../precondition.ts";
import { changeAgent } from "./change-agent.ts";
import { viewAgent } from "./view.ts";

/** Changes the fields that the body names; null removes a description or a pool. */
export async function updateAgent(
  deps: Deps,
  actor: string,
  id: string,
  input: unknown,
  expected: ExpectedRevisions = null,
): Promise<AgentView> {
  const body = parseInput(updateAgentSchema, input);
  const row = await changeAgent(
    deps,
    id,
    (row) => {
      const changes: AgentChanges = {};
      if (body.name !== undefined && body.name !== row.name) changes.name = body.name;
      if (body.description !== undefined && body.description !== row.description)
        changes.description = body.description;
      if (body.poolId !== undefined && body.poolId !== row.poolId) changes.poolId = body.poolId;
      if (Object.keys(changes).length === 0) return null;
      return {
        changes,
        also: changes.poolId === undefined ? [] : withdrawFromMoved(deps.db, row, deps.now()),
        audit: { actor, verb: "update", detail: { ...changesShown(changes) } },
      };
    },
    expected,
  );
  if (body.poolId !== undefined) await orderSyncs(deps, [id]);
  return viewAgent(deps, row);
}

function changesShown({ name, poolId, description }: AgentChanges) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(poolId === undefined ? {} : { poolId }),
    ...(description === undefined ? {} : { description: "changed" }),
  };
}
