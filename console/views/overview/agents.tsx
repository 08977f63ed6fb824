import { Anchor, Badge, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { STATUS_COLORS, StatusBadge } from "../../ui/status.tsx";
import { ReadState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { countAgents, troubledAgents } from "./health.ts";
import { More } from "./running.tsx";
import { Section } from "./section.tsx";
import { countOf } from "./paging.ts";

const SHOWN = 5;

interface AgentsRead {
  items: AgentView[] | undefined;
  isWhole: boolean;
  error: unknown;
  refetch: () => unknown;
}

/** Counts of agents by status, and the agents that need attention. */
export function Agents({ read: { items, isWhole, error, refetch } }: { read: AgentsRead }) {
  return (
    <Section
      title="Agents"
      aside={
        <Anchor component={Link} href="/agents" size="sm">
          All agents
        </Anchor>
      }
    >
      <ReadState read={{ data: items, error, refetch }}>
        {(agents) => (
          <Stack gap="sm">
            <Counts agents={agents} isWhole={isWhole} />
            <Troubled agents={agents} />
          </Stack>
        )}
      </ReadState>
    </Section>
  );
}

function Counts({ agents, isWhole }: { agents: readonly AgentView[]; isWhole: boolean }) {
  const counts = countAgents(agents);
  const shown = [
    { label: "Online", count: counts.Online, color: STATUS_COLORS.Online },
    { label: "Degraded", count: counts.Degraded, color: STATUS_COLORS.Degraded },
    { label: "Offline", count: counts.Offline, color: STATUS_COLORS.Offline },
    { label: "Disabled", count: counts.disabled, color: "gray" },
  ];
  return (
    <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="xs" component="dl" m={0}>
      {shown.map(({ label, count, color }) => (
        <Stack key={label} gap={2} align="flex-start">
          <Badge component="dt" color={color} variant="light" radius="sm" tt="none">
            {label}
          </Badge>
          <Text component="dd" size="xl" fw={600} m={0}>
            {countOf(count, isWhole)}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}

function Troubled({ agents }: { agents: readonly AgentView[] }) {
  const troubled = troubledAgents(agents);
  if (troubled.length === 0) return null;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={600}>
        Needs attention
      </Text>
      {troubled.slice(0, SHOWN).map(({ id, name, status, healthScore, lastHeartbeatAt }) => (
        <Group key={id} gap="xs" justify="space-between">
          <Group gap="xs">
            <Anchor component={Link} href={`/agents/${id}`} size="sm">
              {name}
            </Anchor>
            <StatusBadge status={status} />
          </Group>
          <Text size="sm" c="dimmed">
            health {healthScore} of 100, last heartbeat <TimeAgo at={lastHeartbeatAt} />
          </Text>
        </Group>
      ))}
      <More count={troubled.length - SHOWN} />
    </Stack>
  );
}
