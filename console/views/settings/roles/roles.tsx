import "../../../api/zod-config.ts";
import { Group, Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { ROLE_PERMISSIONS, permissionSchema, roleSchema } from "../../../../schema/contract/people.ts";
import type { Permission, Role } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { WideTable } from "../wide-table.tsx";
import { PERMISSION_LABELS, ROLE_LABELS } from "./permission-labels.ts";

/** The permissions of each role: a row per permission, a column per role. Roles are fixed. */
export default function Roles() {
  const mine = useMe().user?.role;
  return (
    <Stack gap="md">
      <Text size="sm" maw={720}>
        Every user has one role. An API token has its own permissions, which never exceed the owner's role.
      </Text>
      <WideTable
        label="Roles and their permissions"
        minWidth={760}
        head={
          <>
            <Table.Th w="40%">Permission</Table.Th>
            {roleSchema.options.map((role) => (
              <Table.Th key={role} style={{ verticalAlign: "top" }}>
                <Text fw={600} size="sm">
                  {role}
                  {role === mine ? " (yours)" : ""}
                </Text>
                <Text size="xs" c="dimmed" fw={400}>
                  {ROLE_LABELS[role]}
                </Text>
              </Table.Th>
            ))}
          </>
        }
      >
        {permissionSchema.options.map((permission) => (
          <Table.Tr key={permission}>
            <Table.Th scope="row" fw={400}>
              <Text size="sm" fw={500}>
                {permission}
              </Text>
              <Text size="xs" c="dimmed">
                {PERMISSION_LABELS[permission]}
              </Text>
            </Table.Th>
            {roleSchema.options.map((role) => (
              <Table.Td key={role}>
                <Mark yes={holds(role, permission)} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </WideTable>
    </Stack>
  );
}

function holds(role: Role, permission: Permission): boolean {
  const held: readonly Permission[] = ROLE_PERMISSIONS[role];
  return held.includes(permission);
}

function Mark({ yes }: { yes: boolean }) {
  return (
    <Group gap={4}>
      {yes ? (
        <IconCheck size={18} aria-hidden />
      ) : (
        <Text c="dimmed" aria-hidden>
          –
        </Text>
      )}
      <VisuallyHidden>{yes ? "yes" : "no"}</VisuallyHidden>
    </Group>
  );
}
