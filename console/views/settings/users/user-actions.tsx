import { ActionIcon, Menu, Stack, Text } from "@mantine/core";
import { IconDots, IconKey, IconKeyOff, IconPencil, IconTrash, IconUserCheck, IconUserOff } from "@tabler/icons-react";
import type { UserView } from "../../../../schema/contract/people.ts";
import { common } from "../../../strings/en/common.ts";
import { settings } from "../../../strings/en/settings.ts";
import { confirm } from "../../../ui/confirm.tsx";
import { KeepTokens } from "../keep-tokens.tsx";
import { useDeleteUser, useUpdateUser } from "./use-user-changes.ts";

const text = settings.userActions;

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
        title: text.disable.title(user.name),
        consequence: text.disable.consequence(user.email),
        confirmLabel: common.disable,
        keepLabel: text.disable.keep,
      },
    );
  const takePassword = () =>
    endAccess(
      { password: null },
      {
        title: text.takePassword.title(user.name),
        consequence: text.takePassword.consequence(user.email),
        confirmLabel: text.takePassword.confirm,
        keepLabel: text.takePassword.keep,
      },
    );
  const removeForGood = async () => {
    const body = (
      <>
        <Text size="sm">{text.remove.consequence(user.email)}</Text>
        {byOrganisation ? (
          <Text size="sm" mt="xs">
            {text.remove.organisation}
          </Text>
        ) : null}
      </>
    );
    const labels = { title: text.remove.title(user.name), confirmLabel: common.delete, keepLabel: text.remove.keep };
    if (await confirm({ ...labels, body, danger: true })) await remove(user);
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={text.label(user.name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => open({ kind: "edit", user })}>
          {common.edit}
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => open({ kind: "password", user })}>
          {text.setPassword}
        </Menu.Item>
        {byOrganisation && user.hasPassword ? (
          <Menu.Item leftSection={<IconKeyOff size={16} aria-hidden />} onClick={takePassword}>
            {text.removePassword}
          </Menu.Item>
        ) : null}
        {user.enabled ? (
          <Menu.Item leftSection={<IconUserOff size={16} aria-hidden />} onClick={disable} disabled={isMe}>
            {isMe ? text.disableYourself : common.disable}
          </Menu.Item>
        ) : (
          <Menu.Item
            leftSection={<IconUserCheck size={16} aria-hidden />}
            onClick={() => void update({ user, body: { enabled: true } })}
          >
            {common.enable}
          </Menu.Item>
        )}
        <Menu.Divider />
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={removeForGood}
          disabled={isMe}
        >
          {isMe ? text.deleteYourself : common.delete}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
