import type { FieldError } from "../../../schema/contract/problem.ts";
import { findAgent } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";

/** Whether the agent that a connection is to be given to exists. A pool needs no agents yet. */
export async function assignmentErrors(deps: Deps, agentId: unknown): Promise<FieldError[]> {
  if (typeof agentId !== "string") return [];
  if ((await findAgent(deps.db, agentId)) !== null) return [];
  return [{ path: "agentId", message: "there is no agent of this id: GET /agents lists them" }];
}
