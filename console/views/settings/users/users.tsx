import { Button, Group, Stack, Text } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useList, useRead } from "../../../api/queries.ts";
import { LoadMore } from "../../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../../ui/states.tsx";
import { CreateUser } from "./create-user.tsx";
import { EditUser } from "./edit-user.tsx";
import { ResetPassword } from "./reset-password.tsx";
import type { UserDialog } from "./user-actions.tsx";
import { UserTable } from "./user-table.tsx";

/** The accounts of this deployment, with the actions on them. */
export default function Users() {
  const users = useList("/api/v1/automation/users", {});
  const byOrganisation = useRead("/api/v1/auth/methods", {}).data?.oidc ?? false;
  const [dialog, setDialog] = useState<UserDialog | { kind: "create" } | null>(null);
  const close = () => setDialog(null);
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text size="sm" maw={640}>
          {byOrganisation
            ? "People sign in with a password, or with your organisation's sign-in, which can create accounts automatically."
            : "People sign in with email and password."}
        </Text>
        <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setDialog({ kind: "create" })}>
          New user
        </Button>
      </Group>
      <ReadState read={{ ...users, data: users.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title="No users yet">Create the first one with "New user".</EmptyState>
          ) : (
            <>
              <UserTable users={items} byOrganisation={byOrganisation} open={setDialog} />
              <LoadMore list={users} />
            </>
          )
        }
      </ReadState>
      {dialog?.kind === "create" ? <CreateUser byOrganisation={byOrganisation} close={close} /> : null}
      {dialog?.kind === "edit" ? <EditUser user={dialog.user} close={close} /> : null}
      {dialog?.kind === "password" ? <ResetPassword user={dialog.user} close={close} /> : null}
    </Stack>
  );
}
