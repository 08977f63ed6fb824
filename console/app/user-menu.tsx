import { ActionIcon, Group, Menu, SegmentedControl, Text, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { IconBook, IconLogout, IconUser } from "@tabler/icons-react";
import { Link } from "wouter";
import { useMe } from "./session.tsx";
import { useLeave } from "./use-leave.ts";

export function UserMenu() {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const name = me.user?.name ?? me.actor;
  const leave = useLeave();
  return (
    <Menu position="bottom-end" width={260} withinPortal>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${name}`}>
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
          aria-label="Colours"
          value={colorScheme}
          onChange={(value) => setColorScheme(value === "light" || value === "dark" ? value : "auto")}
          data={[
            { value: "light", label: "Light" },
            { value: "auto", label: "System" },
            { value: "dark", label: "Dark" },
          ]}
        />
        <Menu.Divider />
        <Menu.Item component={Link} href="/settings/account" leftSection={<IconUser size={16} aria-hidden />}>
          Your account
        </Menu.Item>
        <Menu.Item component="a" href="/docs" target="_blank" leftSection={<IconBook size={16} aria-hidden />}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
