import { ActionIcon, Badge, Group, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { TokenView } from "../../../../schema/contract/people.ts";
import { call } from "../../../api/client.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { TimeAgo, useNow } from "../../../ui/time.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
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
  const columns: readonly Column<TokenView>[] = [
    {
      name: "Name",
      isLong: true,
      onCard: "title",
      cell: ({ name }) => (
        <Text size="sm" fw={500}>
          {name}
        </Text>
      ),
    },
    ...(withOwners ? [{ name: "Owner", isLong: true, cell: ownerOf }] : []),
    {
      name: "Permissions",
      isLong: true,
      cell: ({ permissions }) => (
        <Group gap={4}>
          {permissions.map((permission) => (
            <Badge key={permission} variant="default" radius="sm" tt="none" fw={400}>
              {permission}
            </Badge>
          ))}
        </Group>
      ),
    },
    { name: "Expires", cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    { name: "Last used", cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
    { name: "Created", cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      name: ACTIONS,
      onCard: "beside",
      cell: (token) => (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={`Delete the token ${token.name}`}
          onClick={() => askAndRemove(token)}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      ),
    },
  ];
  return <ListTable label="API tokens" rows={tokens} columns={columns} keyOf={({ id }) => id} />;
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
