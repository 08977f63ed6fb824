import { ActionIcon, Menu, Stack, Text } from "@mantine/core";
import { IconDots, IconKey, IconKeyOff, IconPencil, IconTrash, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { KeepTokens } from "../keep-tokens.tsx";
import { useDeleteUser, useUpdateUser } from "./use-user-changes.ts";

/** A dialog for an account. */
export interface UserDialog {
  kind: "edit" | "password";
  user: UserView;
}

interface UserActionsProps {
  user: UserView;
  isMe: boolean;
  byOrganisation: boolean;
  open: (dialog: UserDialog) => void;
}

/** An administrator's actions on an account. Administrators cannot disable or delete themselves. */
export function UserActions({ user, isMe, byOrganisation, open }: UserActionsProps) {
  const update = useUpdateUser();
  const remove = useDeleteUser();
  const endAccess = async (
    change: { enabled: false } | { password: null },
    { consequence, ...texts }: { title: string; consequence: string; confirmLabel: string; keepLabel: string },
  ) => {
    let keepTokens = false;
    const body = (
      <Stack gap="md">
        {consequence}
        <KeepTokens owner={user} onChange={(keep) => (keepTokens = keep)} />
      </Stack>
    );
    if (await confirm({ ...texts, body, danger: true })) await update({ user, body: { ...change, keepTokens } });
  };
  const disable = () =>
    endAccess(
      { enabled: false },
      {
        title: `Disable ${user.name}?`,
        consequence: `${user.email} is signed out everywhere immediately and cannot sign in. A disabled account's API tokens are refused.`,
        confirmLabel: "Disable",
        keepLabel: "Keep enabled",
      },
    );
  const takePassword = () =>
    endAccess(
      { password: null },
      {
        title: `Remove the password of ${user.name}?`,
        consequence: `${user.email} is signed out, and can then sign in only with your organisation.`,
        confirmLabel: "Remove password",
        keepLabel: "Keep password",
      },
    );
  const removeForGood = async () => {
    const body = (
      <>
        <Text size="sm">
          {user.email} is deleted with all sessions and API tokens. This cannot be undone. The audit log keeps the
          user's entries.
        </Text>
        {byOrganisation ? (
          <Text size="sm" mt="xs">
            If your organisation still accepts this person, the next sign-in creates a new user. Disable the user
            instead to prevent that.
          </Text>
        ) : null}
      </>
    );
    const labels = { title: `Delete ${user.name}?`, confirmLabel: "Delete", keepLabel: "Keep user" };
    if (await confirm({ ...labels, body, danger: true })) await remove(user);
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Change ${user.name}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => open({ kind: "edit", user })}>
          Edit
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => open({ kind: "password", user })}>
          Set a new password
        </Menu.Item>
        {byOrganisation && user.hasPassword ? (
          <Menu.Item leftSection={<IconKeyOff size={16} aria-hidden />} onClick={takePassword}>
            Remove the password
          </Menu.Item>
        ) : null}
        {user.enabled ? (
          <Menu.Item leftSection={<IconUserOff size={16} aria-hidden />} onClick={disable} disabled={isMe}>
            {isMe ? "Disable (not yourself)" : "Disable"}
          </Menu.Item>
        ) : (
          <Menu.Item
            leftSection={<IconUserCheck size={16} aria-hidden />}
            onClick={() => void update({ user, body: { enabled: true } })}
          >
            Enable
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={removeForGood}
          disabled={isMe}
        >
          {isMe ? "Delete (not yourself)" : "Delete"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
