import { Badge, Text } from "@mantine/core";
import type { UserView } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import { waysIn } from "../ways-in.ts";
import { UserActions } from "./user-actions.tsx";
import type { UserDialog } from "./user-actions.tsx";

interface UserTableProps {
  users: readonly UserView[];
  byOrganisation: boolean;
  open: (dialog: UserDialog) => void;
}

export function UserTable({ users, byOrganisation, open }: UserTableProps) {
  const me = useMe();
  const columns: readonly Column<UserView>[] = [
    {
      name: "Name",
      isLong: true,
      onCard: "title",
      cell: ({ id, name, email }) => (
        <>
          <Text size="sm" fw={500}>
            {name}
            {id === me.user?.id ? " (you)" : ""}
          </Text>
          <Text size="xs" c="dimmed">
            {email}
          </Text>
        </>
      ),
    },
    { name: "Role", cell: ({ role }) => role },
    {
      name: "Account",
      cell: ({ enabled }) => (
        <Badge color={enabled ? "teal" : "gray"} variant="light" radius="sm" tt="none">
          {enabled ? "Enabled" : "Disabled"}
        </Badge>
      ),
    },
    { name: "Sign-in method", cell: waysIn },
    { name: "Last sign-in", cell: ({ lastLoginAt }) => <TimeAgo at={lastLoginAt} /> },
    { name: "Created", cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      name: ACTIONS,
      onCard: "beside",
      cell: (user) => (
        <UserActions user={user} isMe={user.id === me.user?.id} byOrganisation={byOrganisation} open={open} />
      ),
    },
  ];
  return <ListTable label="Users" rows={users} columns={columns} keyOf={({ id }) => id} minWidth={720} />;
}
