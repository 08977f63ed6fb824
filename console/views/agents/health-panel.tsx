import { Group, Stack, Text } from "@mantine/core";
import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { Panel } from "../../ui/panel.tsx";
import { useNow } from "../../ui/time.tsx";
import { HealthBar } from "./agent-badges.tsx";
import { healthLabel, statusLabel } from "./health-labels.ts";

const text = agents.health;

/** The score with its two halves: the rule for the points, this agent's points, and the reason. */
export function HealthPanel({ agent }: { agent: AgentView }) {
  const now = useNow(5_000);
  const parts = healthLabel(agent, now);
  const hasScore = agent.registration !== null;
  return (
    <Panel
      title={agents.fields.health}
      beside={hasScore ? <Text fw={600}>{text.score(agent.healthScore)}</Text> : null}
    >
      <Text size="sm">{statusLabel(agent)}</Text>
      {!hasScore ? null : parts === null ? (
        <Text size="sm" c="dimmed">
          {text.unknown}
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
                  {text.ofHalf}
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
