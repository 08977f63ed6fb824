import { ActionIcon, Badge, Group, Table, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { TokenView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { TimeAgo, useNow } from "../../../ui/time.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
import { LONG, PLAIN, WideTable } from "../wide-table.tsx";
import { expiryState } from "./expiry.ts";
import { useOwnerNames } from "./use-owner-names.ts";

/** Tokens without their secrets, which cannot be shown again. */
export function TokenTable({ tokens, withOwners }: { tokens: readonly TokenView[]; withOwners: boolean }) {
  const ownerOf = useOwnerNames(withOwners);
  const { run: remove } = useToastMutation(
    (token: TokenView) => call("DELETE", "/api/v1/auth/tokens/{id}", { path: { id: token.id } }),
    {
      done: (_gone, { name }) => `The token ${name} is deleted.`,
      failed: "The token was not deleted",
      refreshes: ["/api/v1/auth/tokens"],
    },
  );
  const askAndRemove = async (token: TokenView) => {
    const isSure = await confirm({
      title: `Delete the token ${token.name}?`,
      body: "Calls with this token are refused immediately. This cannot be undone.",
      confirmLabel: "Delete",
      keepLabel: "Keep token",
      danger: true,
    });
    if (isSure) await remove(token);
  };
  return (
    <WideTable
      label="API tokens"
      minWidth={760}
      head={
        <>
          <Table.Th>Name</Table.Th>
          {withOwners ? <Table.Th>Owner</Table.Th> : null}
          <Table.Th>Permissions</Table.Th>
          <Table.Th>Expires</Table.Th>
          <Table.Th>Last used</Table.Th>
          <Table.Th>Created</Table.Th>
          <Table.Th aria-label="Actions" />
        </>
      }
    >
      {tokens.map((token) => (
        <Table.Tr key={token.id}>
          <Table.Td maw={280} className={LONG}>
            <Text size="sm" fw={500}>
              {token.name}
            </Text>
          </Table.Td>
          {withOwners ? (
            <Table.Td maw={220} className={LONG}>
              {ownerOf(token)}
            </Table.Td>
          ) : null}
          <Table.Td maw={320}>
            <Group gap={4}>
              {token.permissions.map((permission) => (
                <Badge key={permission} variant="default" radius="sm" tt="none" fw={400}>
                  {permission}
                </Badge>
              ))}
            </Group>
          </Table.Td>
          <Table.Td className={PLAIN}>
            <Expiry at={token.expiresAt} />
          </Table.Td>
          <Table.Td className={PLAIN}>
            <TimeAgo at={token.lastUsedAt} />
          </Table.Td>
          <Table.Td className={PLAIN}>
            <TimeAgo at={token.createdAt} />
          </Table.Td>
          <Table.Td>
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={`Delete the token ${token.name}`}
              onClick={() => askAndRemove(token)}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

function Expiry({ at }: { at: string | null }) {
  const state = expiryState(at, useNow(60_000));
  return (
    <Group gap={6} wrap="nowrap">
      {state === "expired" ? (
        <Badge color="red" variant="light" radius="sm" tt="none">
          Expired
        </Badge>
      ) : null}
      {state === "soon" ? (
        <Badge color="yellow" variant="light" radius="sm" tt="none">
          Soon
        </Badge>
      ) : null}
      <TimeAgo at={at} />
    </Group>
  );
}
