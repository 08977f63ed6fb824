import { Group, Paper, Title } from "@mantine/core";
import { useId } from "react";
import type { ReactNode } from "react";

/** A section of the overview with a heading and a link to the full list. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id} miw={0}>
      <Group justify="space-between" gap="xs" mb="sm">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}
