import { ActionIcon, Group, Text, UnstyledButton } from "@mantine/core";
import type { UnstyledButtonProps } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { shell as text } from "../strings/en/shell.ts";
import { useMe } from "./session.tsx";

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
