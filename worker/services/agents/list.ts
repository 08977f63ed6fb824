import { listAgents as operation } from "../../../schema/contract/api/agents.ts";
import type { AgentView } from "../../../schema/contract/management.ts";
import { listAgents } from "../../store/agents.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { viewAgents } from "./view.ts";

export async function listAgentViews(deps: Deps, query: unknown): Promise<Page<AgentView>> {
  const { limit, beforeId } = parsePage("agent", operation, query);
  const { items, nextCursor } = toPage(
    await listAgents(deps.db, { beforeId, limit: limit + 1 }),
    limit,
    (row) => row.id,
  );
  return { items: await viewAgents(deps, items), nextCursor };
}
