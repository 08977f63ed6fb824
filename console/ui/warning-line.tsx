import { Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

const COLOR = "var(--mantine-color-yellow-light-color)";

/** Something odd that keeps nothing from being done, in words, with what can be done about it below. */
export function WarningLine({ id, words, below }: { id?: string; words: string; below?: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <WarningIcon />
      <Stack gap={4} miw={0}>
        <Text size="xs" c={COLOR} style={{ overflowWrap: "anywhere" }} {...(id === undefined ? {} : { id })}>
          {words}
        </Text>
        {below}
      </Stack>
    </Group>
  );
}

export function WarningIcon() {
  return <IconAlertTriangle size={16} aria-hidden color={COLOR} style={{ flex: "none", marginTop: 2 }} />;
}
