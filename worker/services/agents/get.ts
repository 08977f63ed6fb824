import type { AgentView } from "../../../schema/contract/management.ts";
import { findAgent } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { viewAgent } from "./view.ts";

export async function getAgent(deps: Deps, id: string): Promise<AgentView> {
  const row = await findAgent(deps.db, id);
  if (row === null) throw notFound("agent", id);
  return viewAgent(deps, row);
}
