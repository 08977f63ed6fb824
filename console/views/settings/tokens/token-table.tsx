import { ActionIcon, Badge, Group, Text } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import type { TokenView } from "../../../../schema/contract/people.ts";
import { PAGE_SIZE_MAX } from "../../../../schema/limits.ts";
import { call } from "../../../api/client.ts";
import { useAll } from "../../../api/use-all.ts";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { ACTIONS, ListTable } from "../../../ui/list-table.tsx";
import type { Column } from "../../../ui/list-table.tsx";
import { TimeAgo, useNow } from "../../../ui/time.tsx";
import { useToastMutation } from "../../../ui/use-toast-mutation.ts";
import { expiryState } from "./expiry.ts";

const text = settings.tokens;

/** Tokens without their secrets, which cannot be shown again. */
export function TokenTable({ tokens, withOwners }: { tokens: readonly TokenView[]; withOwners: boolean }) {
  const ownerOf = useOwnerNames(withOwners);
  const { run: remove } = useToastMutation(
    (token: TokenView) => call("DELETE", "/api/v1/auth/tokens/{id}", { path: { id: token.id } }),
    {
      done: (_gone, { name }) => text.deleted(name),
      failed: text.notDeleted,
      refreshes: ["/api/v1/auth/tokens"],
    },
  );
  const askAndRemove = async (token: TokenView) => {
    const isSure = await confirm({
      title: text.confirmDelete.title(token.name),
      body: text.confirmDelete.body,
      confirmLabel: common.delete,
      keepLabel: text.confirmDelete.keep,
      danger: true,
    });
    if (isSure) await remove(token);
  };
  const columns: readonly Column<TokenView>[] = [
    {
      name: common.name,
      isLong: true,
      onCard: "title",
      cell: ({ name }) => (
        <Text size="sm" fw={500}>
          {name}
        </Text>
      ),
    },
    ...(withOwners ? [{ name: text.owner, isLong: true, cell: ownerOf }] : []),
    {
      name: settings.permissions,
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
    { name: text.expires, cell: ({ expiresAt }) => <Expiry at={expiresAt} /> },
    { name: text.lastUsed, cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
    { name: common.created, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      name: ACTIONS,
      onCard: "beside",
      cell: (token) => (
        <ActionIcon
          variant="subtle"
          color="red"
          aria-label={text.delete(token.name)}
          onClick={() => askAndRemove(token)}
        >
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      ),
    },
  ];
  return <ListTable label={settings.tabs.tokens} rows={tokens} columns={columns} keyOf={({ id }) => id} />;
}

function Expiry({ at }: { at: string | null }) {
  const state = expiryState(at, useNow(60_000));
  return (
    <Group gap={6} wrap="nowrap">
      {state === "expired" ? (
        <Badge color="red" variant="light" radius="sm" tt="none">
          {text.expired}
        </Badge>
      ) : null}
      {state === "soon" ? (
        <Badge color="yellow" variant="light" radius="sm" tt="none">
          {text.expiresSoon}
        </Badge>
      ) : null}
      <TimeAgo at={at} />
    </Group>
  );
}

/** The email address of a token's owner, whom the token names by id. Users are read only when `enabled`. */
function useOwnerNames(enabled: boolean): (token: TokenView) => string {
  const users = useAll("/api/v1/automation/users", { query: { limit: PAGE_SIZE_MAX } }, { enabled });
  const names = new Map(users.items?.map((user) => [user.id, user.email]));
  return ({ userId }) => {
    if (userId === null) return text.ownerless;
    return names.get(userId) ?? (users.isWhole ? userId : "…");
  };
}
