import { listLimits as operation } from "../../../schema/contract/api/limits.ts";
import type { LimitGroupView, LimitUses } from "../../../schema/contract/limit-group.ts";
import { LIMIT_USES_SHOWN_MAX } from "../../../schema/limits.ts";
import { freeAt } from "../../domain/limit/judge-limits.ts";
import { findLimitGroup, listLimitGroups } from "../../store/limit-groups.ts";
import type { LimitGroupRow } from "../../store/limit-groups.ts";
import { listUses } from "../../store/limit-uses.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../not-found.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { toLimitGroupView } from "./view.ts";

export async function listLimitViews(deps: Deps, query: unknown): Promise<Page<LimitGroupView>> {
  const { limit, beforeId } = parsePage("limitGroup", operation, query);
  const rows = await listLimitGroups(deps.db, { beforeId, limit: limit + 1 });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(toLimitGroupView), nextCursor };
}

export async function getLimit(deps: Deps, id: string): Promise<LimitGroupView> {
  return toLimitGroupView(await existing(deps, id));
}

/** The uses that count now, by key. */
export async function getLimitUses(deps: Deps, id: string): Promise<LimitUses> {
  const group = await existing(deps, id);
  const after = deps.now() - group.periodSeconds * 1_000;
  const rows = await listUses(deps.db, id, after, LIMIT_USES_SHOWN_MAX + 1);
  const byKey = Map.groupBy(rows.slice(0, LIMIT_USES_SHOWN_MAX), ({ use }) => use.key);
  const keys = [...byKey].map(([key, uses]) => {
    const free = freeAt(
      group,
      uses.map(({ use }) => use),
    );
    return {
      key,
      used: uses.length,
      freeAt: free === null ? null : new Date(free).toISOString(),
      runs: uses.map(({ use: { executionId, at, isOverLimit }, workflowId }) => ({
        executionId,
        workflowId,
        at: new Date(at).toISOString(),
        isOverLimit,
      })),
    };
  });
  return { keys, more: rows.length > LIMIT_USES_SHOWN_MAX };
}

async function existing(deps: Deps, id: string): Promise<LimitGroupRow> {
  const row = await findLimitGroup(deps.db, id);
  if (row === null) throw notFound("limit", id);
  return row;
}
