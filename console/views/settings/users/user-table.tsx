import { Badge, Table, Text } from "@mantine/core";
import type { UserView } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { TimeAgo } from "../../../ui/time.tsx";
import { waysIn } from "../ways-in.ts";
import { LONG, PLAIN, WideTable } from "../wide-table.tsx";
import { UserActions } from "./user-actions.tsx";
import type { UserDialog } from "./user-actions.tsx";

interface UserTableProps {
  users: readonly UserView[];
  byOrganisation: boolean;
  open: (dialog: UserDialog) => void;
}

export function UserTable({ users, byOrganisation, open }: UserTableProps) {
  const me = useMe();
  return (
    <WideTable
      label="Users"
      minWidth={720}
      head={
        <>
          <Table.Th>Name</Table.Th>
          <Table.Th>Role</Table.Th>
          <Table.Th>Account</Table.Th>
          <Table.Th>Sign-in method</Table.Th>
          <Table.Th>Last sign-in</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th aria-label="Actions" />
        </>
      }
    >
      {users.map((user) => (
        <Table.Tr key={user.id}>
          <Table.Td maw={340} className={LONG}>
            <Text size="sm" fw={500}>
              {user.name}
              {user.id === me.user?.id ? " (you)" : ""}
            </Text>
            <Text size="xs" c="dimmed">
              {user.email}
            </Text>
          </Table.Td>
          <Table.Td>{user.role}</Table.Td>
          <Table.Td>
            <Badge color={user.enabled ? "teal" : "gray"} variant="light" radius="sm" tt="none">
              {user.enabled ? "Enabled" : "Disabled"}
            </Badge>
          </Table.Td>
          <Table.Td>{waysIn(user)}</Table.Td>
          <Table.Td className={PLAIN}>
            <TimeAgo at={user.lastLoginAt} />
          </Table.Td>
          <Table.Td className={PLAIN}>
            <TimeAgo at={user.createdAt} />
          </Table.Td>
          <Table.Td>
            <UserActions user={user} isMe={user.id === me.user?.id} byOrganisation={byOrganisation} open={open} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}
