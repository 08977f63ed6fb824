import { listUsers as operation } from "../../../schema/contract/api/users.ts";
import type { UserView } from "../../../schema/contract/people.ts";
import { listUsers } from "../../store/users.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { viewUser } from "./view.ts";

export async function listUserViews(deps: Deps, query: unknown): Promise<Page<UserView>> {
  const { limit, beforeId } = parsePage("user", operation, query);
  const { items, nextCursor } = toPage(
    await listUsers(deps.db, { beforeId, limit: limit + 1 }),
    limit,
    (row) => row.id,
  );
  return { items: items.map(viewUser), nextCursor };
}
