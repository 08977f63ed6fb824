import type { TokenView } from "../../../schema/contract/people.ts";
import type { ApiTokenRow } from "../../store/api-tokens.ts";

/** A token as the API shows it, without its secret. */
export function viewToken(row: ApiTokenRow): TokenView {
  return {
    id: row.id,
    name: row.name,
    userId: row.userId,
    permissions: row.permissions,
    expiresAt: toIso(row.expiresAt),
    lastUsedAt: toIso(row.lastUsedAt),
    createdAt: new Date(row.createdAt).toISOString(),
  };
}

function toIso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
