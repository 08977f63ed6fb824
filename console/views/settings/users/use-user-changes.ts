import type { Role, UserView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { settings } from "../../../strings/en/settings.ts";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";

const text = settings.users;

/** The reads to repeat: the list, the signed-in user, who may be the changed one, and tokens, which may have ended. */
export const USER_READS = ["/api/v1/automation/users", "/api/v1/auth/me", "/api/v1/auth/tokens"] as const;

/** A change without a secret. A new password is set in reset-password.tsx. */
interface UserChange {
  name?: string;
  role?: Role;
  enabled?: boolean;
  password?: null;
  keepTokens?: boolean;
}

/** A change from the list. A toast shows its result. */
export function useUpdateUser() {
  return useToastMutation(
    ({ user, body }: { user: UserView; body: UserChange }) =>
      call("PATCH", "/api/v1/automation/users/{id}", { path: { id: user.id }, body }),
    { done: ({ name }) => text.changed(name), failed: text.notChanged, refreshes: USER_READS },
  ).run;
}

export function useDeleteUser() {
  return useToastMutation(
    (user: UserView) => call("DELETE", "/api/v1/automation/users/{id}", { path: { id: user.id } }),
    {
      done: (_gone, { name }) => text.deleted(name),
      failed: text.notDeleted,
      refreshes: USER_READS,
    },
  ).run;
}
