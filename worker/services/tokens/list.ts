import { listTokens as operation } from "../../../schema/contract/api/auth.ts";
import type { TokenView } from "../../../schema/contract/people.ts";
import { listApiTokens } from "../../store/api-tokens.ts";
import type { Deps } from "../deps.ts";
import { parsePage, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { viewToken } from "./view.ts";

/** The caller's tokens; administrators can list everyone's, or one user's. Includes expired ones until deleted. */
export async function listTokenViews(deps: Deps, by: Principal, query: unknown): Promise<Page<TokenView>> {
  const { owner, limit, beforeId } = parsePage("apiToken", operation, query);
  if (owner !== "me" && owner !== by.userId && !by.permissions.has("admin")) {
    throw new ProblemError(
      "forbidden",
      "Other people's tokens need the permission admin. List your own, or ask an administrator.",
    );
  }
  const whose = owner === "everyone" ? owner : { userId: owner === "me" ? by.userId : owner };
  const rows = await listApiTokens(deps.db, whose, {
    beforeId,
    limit: limit + 1,
  });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(viewToken), nextCursor };
}
