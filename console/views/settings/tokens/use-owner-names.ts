import type { TokenView } from "../../../../schema/contract/people.ts";
import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { useAll } from "../../../api/use-all.ts";

/** The email address of a token's owner, whom the token names by id. Users are read only when `enabled`. */
export function useOwnerNames(enabled: boolean): (token: TokenView) => string {
  const users = useAll("/api/v1/automation/users", { query: { limit: PAGE_SIZE_MAX } }, { enabled });
  const names = new Map(users.items?.map((user) => [user.id, user.email]));
  return ({ userId }) => {
    if (userId === null) return "none (created with the bootstrap token)";
    return names.get(userId) ?? (users.isWhole ? userId : "…");
  };
}
