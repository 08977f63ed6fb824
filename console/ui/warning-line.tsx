import { Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { ReactNode } from "react";

const COLOR = "var(--mantine-color-yellow-light-color)";

/** A warning that blocks nothing, with its remedy below. */
export function WarningLine({ id, message, below }: { id?: string; message: string; below?: ReactNode }) {
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <WarningIcon />
      <Stack gap={4} miw={0}>
        <Text size="xs" c={COLOR} style={{ overflowWrap: "anywhere" }} {...(id === undefined ? {} : { id })}>
          {message}
        </Text>
        {below}
      </Stack>
    </Group>
  );
}

export function WarningIcon() {
  return <IconAlertTriangle size={16} aria-hidden color={COLOR} style={{ flex: "none", marginTop: 2 }} />;
}
