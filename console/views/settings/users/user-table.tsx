import { Badge, Text } from "@mantine/core";
import type { UserView } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import { UserActions } from "./user-actions.tsx";
import type { UserDialog } from "./user-actions.tsx";

const text = settings.users;

interface UserTableProps {
  users: readonly UserView[];
  byOrganisation: boolean;
  open: (dialog: UserDialog) => void;
}

export function UserTable({ users, byOrganisation, open }: UserTableProps) {
  const me = useMe();
  const columns: readonly Column<UserView>[] = [
    {
      name: common.name,
      isLong: true,
      onCard: "title",
      cell: ({ id, name, email }) => (
        <>
          <Text size="sm" fw={500}>
            {id === me.user?.id ? text.you(name) : name}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    { name: settings.role, cell: ({ role }) => role },
    {
      name: text.account,
      cell: ({ enabled }) => (
        <Badge color={enabled ? "teal" : "gray"} variant="light" radius="sm" tt="none">
          {enabled ? settings.enabled : settings.disabled}
        </Badge>
      ),
    },
    { name: settings.signInMethod, cell: settings.signIn },
    { name: settings.lastSignIn, cell: ({ lastLoginAt }) => <TimeAgo at={lastLoginAt} /> },
    { name: common.created, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      name: ACTIONS,
      onCard: "beside",
      cell: (user) => (
        <UserActions user={user} isMe={user.id === me.user?.id} byOrganisation={byOrganisation} open={open} />
      ),
    },
  ];
  return <ListTable label={settings.tabs.users} rows={users} columns={columns} keyOf={({ id }) => id} minWidth={720} />;
}
