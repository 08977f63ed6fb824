import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { AgentBadges, HealthBar, IsolationBadge } from "./agent-badges.tsx";

const COLUMNS: readonly Column<AgentView>[] = [
  {
    name: "Agent",
    isLong: true,
    onCard: "title",
    cell: (agent) => (
      <Stack gap={0}>
        <Anchor component={Link} href={pageOf(agent)} size="sm" fw={500}>
          {agent.name}
        </Anchor>
        {agent.description === null ? null : (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {agent.description}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    name: "Status",
    onCard: "beside",
    cell: (agent) => <AgentBadges {...agent} isNew={agent.registration === null} />,
  },
  { name: "Health", cell: ({ registration, healthScore }) => <HealthBar score={registration && healthScore} /> },
  {
    name: "Running jobs",
    cell: ({ runningJobs, registration }) => loadLabel(runningJobs, registration?.maxConcurrentJobs ?? null),
  },
  {
    name: "Pool",
    cell: ({ poolId }) =>
      poolId === null ? (
        <Text size="sm" c="dimmed">
          none
        </Text>
      ) : (
        <Anchor component={Link} href={`/pools/${poolId}`} size="sm">
          {poolId}
        </Anchor>
      ),
  },
  {
    name: "Isolation",
    cell: ({ registration }) =>
      registration?.isolation === undefined ? null : <IsolationBadge isolation={registration.isolation} />,
  },
  { name: "Version", cell: ({ registration }) => registration?.version ?? null },
  {
    name: "System",
    cell: ({ registration }) => (registration === null ? null : `${registration.os} ${registration.arch}`),
  },
  { name: "Last heartbeat", cell: ({ lastHeartbeatAt }) => <TimeAgo at={lastHeartbeatAt} /> },
];

export function AgentsTable({ agents, total }: { agents: readonly AgentView[]; total: number }) {
  if (agents.length === 0)
    return <EmptyState title={`None of ${total} agents match the filter`}>Change or clear the filter.</EmptyState>;
  return <ListTable label="Agents" rows={agents} columns={COLUMNS} keyOf={({ id }) => id} hrefOf={pageOf} />;
}

function pageOf({ id }: AgentView): string {
  return `/agents/${id}`;
}

/** "2 of 5": how many jobs an agent runs, and its maximum. */
export function loadLabel(running: number, max: number | null): string {
  return max === null ? String(running) : `${running} of ${max}`;
}
