import type { FieldError } from "../../../schema/contract/problem.ts";
import { findAgent } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";

/** An error when the agent of a connection does not exist. A pool needs no agents yet. */
export async function assignmentErrors(deps: Deps, agentId: unknown): Promise<FieldError[]> {
  if (typeof agentId !== "string") return [];
  if ((await findAgent(deps.db, agentId)) !== null) return [];
  return [{ path: "agentId", message: "there is no agent of this id: GET /agents lists them" }];
}
