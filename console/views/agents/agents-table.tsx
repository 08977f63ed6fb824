import { Anchor, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { EmptyState } from "../../ui/states.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { AgentBadges, HealthBar, IsolationBadge } from "./agent-badges.tsx";

export function AgentsTable({ agents, total }: { agents: readonly AgentView[]; total: number }) {
  if (agents.length === 0)
    return <EmptyState title={`None of ${total} agents match the filter`}>Change or clear the filter.</EmptyState>;
  return (
    <Table.ScrollContainer minWidth={900} type="native" tabIndex={0} aria-label="Agents">
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {[
              "Agent",
              "Status",
              "Health",
              "Running jobs",
              "Pool",
              "Isolation",
              "Version",
              "System",
              "Last heartbeat",
            ].map((name) => (
              <Table.Th key={name} style={{ whiteSpace: "nowrap" }}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {agents.map((agent) => (
            <Row key={agent.id} agent={agent} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ agent }: { agent: AgentView }) {
  const { registration } = agent;
  return (
    <Table.Tr>
      <Table.Td miw={150} maw={320}>
        <Stack gap={0}>
          <Anchor component={Link} href={`/agents/${agent.id}`} size="sm" fw={500}>
            {agent.name}
          </Anchor>
          {agent.description === null ? null : (
            <Text size="xs" c="dimmed" lineClamp={1}>
              {agent.description}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td>
        <AgentBadges {...agent} isNew={registration === null} />
      </Table.Td>
      <Table.Td>
        <HealthBar score={agent.healthScore} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {loadLabel(agent.runningJobs, registration?.maxConcurrentJobs ?? null)}
      </Table.Td>
      <Table.Td miw={110} maw={200}>
        {agent.poolId === null ? (
          <Text size="sm" c="dimmed">
            none
          </Text>
        ) : (
          <Anchor component={Link} href={`/pools/${agent.poolId}`} size="sm">
            {agent.poolId}
          </Anchor>
        )}
      </Table.Td>
      <Table.Td>
        <IsolationBadge isolation={registration?.isolation} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>{registration?.version ?? ""}</Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        {registration === null ? "" : `${registration.os} ${registration.arch}`}
      </Table.Td>
      <Table.Td style={{ whiteSpace: "nowrap" }}>
        <TimeAgo at={agent.lastHeartbeatAt} />
      </Table.Td>
    </Table.Tr>
  );
}

/** "2 of 5": how many jobs an agent runs, and its maximum. */
export function loadLabel(running: number, max: number | null): string {
  return max === null ? String(running) : `${running} of ${max}`;
}
