import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { PoolView } from "../../../schema/contract/management.ts";
import { TimeAgo } from "../../ui/time.tsx";
import { AgentBadges, HealthBar } from "../agents/agent-badges.tsx";
import { loadLabel } from "../agents/agents-table.tsx";

/** The pool's agents. The agent that gets jobs first is at the top. */
export function MembersTable({ members }: Pick<PoolView, "members">) {
  const sorted = [...members].sort(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) || b.healthScore - a.healthScore || a.name.localeCompare(b.name, "en"),
  );
  return (
    <Table.ScrollContainer minWidth={620} type="native" tabIndex={0} aria-label="Agents of the pool">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {["Agent", "Status", "Health", "Running jobs", "Last heartbeat"].map((name) => (
              <Table.Th key={name} style={{ whiteSpace: "nowrap" }}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((member) => (
            <Table.Tr key={member.agentId}>
              <Table.Td miw={150} maw={320}>
                <Anchor component={Link} href={`/agents/${member.agentId}`} size="sm">
                  {member.name}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <AgentBadges
                  status={member.status}
                  enabled={member.enabled}
                  draining={member.draining}
                  isNew={member.maxConcurrentJobs === null && member.lastHeartbeatAt === null}
                />
              </Table.Td>
              <Table.Td>
                <HealthBar score={member.healthScore} />
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                {loadLabel(member.runningJobs, member.maxConcurrentJobs)}
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <TimeAgo at={member.lastHeartbeatAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
