import "../../../api/zod-config.ts";
import { Stack, Table, Text, VisuallyHidden } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { ROLE_PERMISSIONS, permissionSchema, roleSchema } from "../../../../schema/contract/people.ts";
import type { Permission, Role } from "../../../../schema/contract/people.ts";
import { useMe } from "../../../app/session.tsx";
import { settings } from "../../../strings/en/settings.ts";
import { Facts } from "../../../ui/facts.tsx";
import { ListTable, useIsNarrow } from "../../../ui/list-table.tsx";

const text = settings.roles;

/** The permissions of each role. Roles are fixed. */
export default function Roles() {
  const mine = useMe().user?.role;
  const isNarrow = useIsNarrow();
  return (
    <Stack gap="md">
      <Text size="sm" maw={720}>
        {text.intro}
      </Text>
      <Facts
        facts={roleSchema.options.map(
          (role) => [role === mine ? text.yours(role) : role, settings.purposes[role]] as const,
        )}
      />
      {isNarrow ? <PermissionCards /> : <PermissionTable />}
    </Stack>
  );
}

/** A row per permission, a column per role. */
function PermissionTable() {
  return (
    <Table verticalSpacing="xs" maw={960} aria-label={text.label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{text.permission}</Table.Th>
          {roleSchema.options.map((role) => (
            <Table.Th key={role} w={100}>
              {role}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {permissionSchema.options.map((permission) => (
          <Table.Tr key={permission}>
            <Table.Th scope="row" fw={400}>
              <PermissionText permission={permission} />
            </Table.Th>
            {roleSchema.options.map((role) => (
              <Table.Td key={role}>
                <Mark yes={holds(role, permission)} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** A card per permission, with the roles that have it. */
function PermissionCards() {
  return (
    <ListTable
      label={text.label}
      rows={permissionSchema.options}
      columns={[
        { name: text.permission, onCard: "title", cell: (permission) => <PermissionText permission={permission} /> },
        {
          name: text.roles,
          cell: (permission) => roleSchema.options.filter((role) => holds(role, permission)).join(", "),
        },
      ]}
      keyOf={(permission) => permission}
    />
  );
}

function PermissionText({ permission }: { permission: Permission }) {
  return (
    <>
      <Text size="sm" fw={500}>
        {permission}
      </Text>
      <Text size="xs" c="dimmed">
        {settings.allows[permission]}
      </Text>
    </>
  );
}

function holds(role: Role, permission: Permission): boolean {
  const held: readonly Permission[] = ROLE_PERMISSIONS[role];
  return held.includes(permission);
}

function Mark({ yes }: { yes: boolean }) {
  return (
    <>
      {yes ? (
        <IconCheck size={18} aria-hidden />
      ) : (
        <Text c="dimmed" aria-hidden>
          –
        </Text>
      )}
      <VisuallyHidden>{yes ? text.yes : text.no}</VisuallyHidden>
    </>
  );
}
