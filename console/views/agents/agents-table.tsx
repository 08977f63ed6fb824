import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { EmptyState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { AgentBadges, HealthBar, IsolationBadge } from "./agent-badges.tsx";

const text = agents.fields;

const COLUMNS: readonly Column<AgentView>[] = [
  {
    name: common.agent,
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
    name: common.status,
    onCard: "beside",
    cell: (agent) => <AgentBadges {...agent} isNew={agent.registration === null} />,
  },
  { name: text.health, cell: ({ registration, healthScore }) => <HealthBar score={registration && healthScore} /> },
  {
    name: text.runningJobs,
    cell: ({ runningJobs, registration }) => agents.load(runningJobs, registration?.maxConcurrentJobs ?? null),
  },
  {
    name: common.pool,
    cell: ({ poolId }) =>
      poolId === null ? (
        <Text size="sm" c="dimmed">
          {common.none}
        </Text>
      ) : (
        <Anchor component={Link} href={`/pools/${poolId}`} size="sm">
          {poolId}
        </Anchor>
      ),
  },
  {
    name: text.isolation,
    cell: ({ registration }) =>
      registration?.isolation === undefined ? null : <IsolationBadge isolation={registration.isolation} />,
  },
  { name: text.version, cell: ({ registration }) => registration?.version ?? null },
  {
    name: text.system,
    cell: ({ registration }) => (registration === null ? null : `${registration.os} ${registration.arch}`),
  },
  { name: text.lastHeartbeat, cell: ({ lastHeartbeatAt }) => <TimeAgo at={lastHeartbeatAt} /> },
];

export function AgentsTable({ agents: rows }: { agents: readonly AgentView[] }) {
  const { title, fix } = agents.list.noMatch;
  if (rows.length === 0) return <EmptyState title={title}>{fix}</EmptyState>;
  return <ListTable label={common.agents} rows={rows} columns={COLUMNS} keyOf={({ id }) => id} hrefOf={pageOf} />;
}

function pageOf({ id }: AgentView): string {
  return `/agents/${id}`;
}
