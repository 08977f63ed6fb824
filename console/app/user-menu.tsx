import { ActionIcon, Group, Text, UnstyledButton } from "@mantine/core";
import type { UnstyledButtonProps } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { useState } from "react";
import type { ComponentProps, ComponentType } from "react";
import { shell as text } from "../strings/en/shell.ts";
import { useMe } from "./session.tsx";

/** Loaded with the first input (overlays-on-demand.tsx). */
export const loadAccountMenu = () => import("./account-menu.tsx");

/** The menu of the person who is signed in. Its code is not part of the first page. */
export function UserMenu() {
  const [Menu, setMenu] = useState<ComponentType | null>(null);
  if (Menu !== null) return <Menu />;
  const open = async (button: HTMLElement) => {
    try {
      const loaded = await loadAccountMenu();
      // A late menu must not take the focus from where the person went on. Some browsers focus no clicked button.
      const { activeElement } = document;
      if (activeElement === button || activeElement === document.body) setMenu(() => loaded.default);
    } catch {
      // Without a network. The next click tries again.
    }
  };
  return (
    <AccountButton aria-haspopup="menu" aria-expanded={false} onClick={(event) => void open(event.currentTarget)} />
  );
}

export function AccountButton(props: UnstyledButtonProps & ComponentProps<"button">) {
  const me = useMe();
  const name = me.user?.name ?? me.actor;
  return (
    <UnstyledButton aria-label={text.account.of(name)} {...props}>
      <Group gap={6} wrap="nowrap">
        <Text size="sm" visibleFrom="sm" truncate maw={220}>
          {name}
        </Text>
        <ActionIcon component="span" variant="default" radius="xl" size="lg">
          <IconUser size={18} aria-hidden />
        </ActionIcon>
      </Group>
    </UnstyledButton>
  );
}
