import { Group, Stack, Text } from "@mantine/core";
import type { AgentView } from "../../../schema/contract/management.ts";
import { Panel } from "../../ui/panel.tsx";
import { useNow } from "../../ui/time.tsx";
import { HealthBar } from "./agent-badges.tsx";
import { healthLabel, statusLabel } from "./health-labels.ts";

/** The score with its two halves: the rule for the points, this agent's points, and the reason. */
export function HealthPanel({ agent }: { agent: AgentView }) {
  const now = useNow(5_000);
  const parts = healthLabel(agent, now);
  return (
    <Panel
      title="Health"
      beside={agent.registration === null ? null : <Text fw={600}>{agent.healthScore} of 100</Text>}
    >
      <Text size="sm">{statusLabel(agent)}</Text>
      {parts === null ? (
        <Text size="sm" c="dimmed">
          The agent's pool does not report the parts of the score.
        </Text>
      ) : (
        parts.map(({ name, points, rule, why }) => (
          <Stack key={name} gap={2}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={500}>
                {name}
              </Text>
              <Group gap={6} wrap="nowrap">
                <HealthBar score={points} of={50} />
                <Text size="xs" c="dimmed">
                  of 50
                </Text>
              </Group>
            </Group>
            <Text size="sm">{why}</Text>
            <Text size="xs" c="dimmed">
              {rule}
            </Text>
          </Stack>
        ))
      )}
    </Panel>
  );
}
