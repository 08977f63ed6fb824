import { Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import type { ConnectionTest } from "../../../../schema/contract/management.ts";

/** The checks of a test in order, each with its result and, after a failure, the next step. */
export function Checks({ checks }: { checks: ConnectionTest["checks"] }) {
  return (
    <Stack gap="xs" component="ol" aria-label="Checks" style={{ listStyle: "none", margin: 0, padding: 0 }}>
      {checks.map(({ name, ok, detail }, index) => (
        <Group key={`${index} ${name}`} gap="xs" wrap="nowrap" align="flex-start" component="li">
          {ok ? (
            <IconCircleCheck size={20} color="var(--mantine-color-teal-text)" aria-hidden style={{ flexShrink: 0 }} />
          ) : (
            <IconCircleX size={20} color="var(--mantine-color-red-text)" aria-hidden style={{ flexShrink: 0 }} />
          )}
          <div style={{ minWidth: 0 }}>
            <Text size="sm" fw={600}>
              {name}: {ok ? "ok" : "failed"}
            </Text>
            <Text size="sm" c={ok ? "dimmed" : undefined}>
              {detail}
            </Text>
          </div>
        </Group>
      ))}
    </Stack>
  );
}
