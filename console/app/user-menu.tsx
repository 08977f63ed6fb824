import { ActionIcon, Group, Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconBook, IconLogout, IconUser } from "@tabler/icons-react";
import { Link } from "wouter";
import { useMe } from "./session.tsx";
import { useLeave } from "./use-leave.ts";
import { shell as text } from "../strings/en/shell.ts";

export function UserMenu() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = me.user?.name ?? me.actor;
  const leave = useLeave();
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <UnstyledButton aria-label={text.account.of(name)}>
          <Group gap={6} wrap="nowrap">
            <Text size="sm" visibleFrom="sm" truncate maw={220}>
              {name}
            </Text>
            <ActionIcon component="span" variant="default" radius="xl" size="lg">
              <IconUser size={18} aria-hidden />
            </ActionIcon>
          </Group>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me.user === null ? me.actor : `${me.user.email} · ${me.user.role}`}</Menu.Label>
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={text.account.colours}
          value={colorScheme}
          onChange={(value) => setColorScheme(value === "light" || value === "dark" ? value : "auto")}
          data={[
            { value: "light", label: text.account.light },
            { value: "auto", label: text.account.system },
            { value: "dark", label: text.account.dark },
          ]}
        />
        <Menu.Divider />
        <Menu.Item component={Link} href="/settings/account" leftSection={<IconUser size={16} aria-hidden />}>
          {text.account.yours}
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconBook size={16} aria-hidden />}>
          {text.account.apiReference}
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
          {text.account.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
