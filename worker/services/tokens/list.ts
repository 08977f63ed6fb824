import { listTokensQuerySchema } from "../../../schema/contract/people.ts";
import type { TokenView } from "../../../schema/contract/people.ts";
import { listApiTokens } from "../../store/api-tokens.ts";
import type { Deps } from "../deps.ts";
import { decodeCursor, toPage } from "../page.ts";
import type { Page } from "../page.ts";
import { parseInput } from "../parse.ts";
import type { Principal } from "../people/principal.ts";
import { ProblemError } from "../problem.ts";
import { viewToken } from "./view.ts";

/** The caller's tokens, or everyone's for an administrator; expired ones too, until they are deleted. */
export async function listTokenViews(deps: Deps, by: Principal, query: unknown): Promise<Page<TokenView>> {
  const { owner, limit, cursor } = parseInput(listTokensQuerySchema, query);
  if (owner === "everyone" && !by.permissions.has("admin")) {
    throw new ProblemError("forbidden", "Everyone's tokens are shown to those with the permission admin alone.");
  }
  const rows = await listApiTokens(deps.db, owner === "everyone" ? owner : { userId: by.userId }, {
    beforeId: decodeCursor("apiToken", cursor),
    limit: limit + 1,
  });
  const { items, nextCursor } = toPage(rows, limit, (row) => row.id);
  return { items: items.map(viewToken), nextCursor };
}
