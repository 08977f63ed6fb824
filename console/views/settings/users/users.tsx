import { Button, Group, Stack, Text } from "@mantine/core";
import { IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useList, useRead } from "../../../api/queries.ts";
import { settings } from "../../../strings/en/settings.ts";
import { LoadMore } from "../../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../../ui/states.tsx";
import { CreateUser } from "./create-user.tsx";
import { EditUser } from "./edit-user.tsx";
import { ResetPassword } from "./reset-password.tsx";
import type { UserDialog } from "./user-actions.tsx";
import { UserTable } from "./user-table.tsx";

const text = settings.users;

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
          {byOrganisation ? text.introWithOrganisation : text.intro}
        </Text>
        <Button leftSection={<IconUserPlus size={18} aria-hidden />} onClick={() => setDialog({ kind: "create" })}>
          {settings.createUser.title}
        </Button>
      </Group>
      <ReadState read={{ ...users, data: users.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={text.none.title}>{text.none.help}</EmptyState>
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
