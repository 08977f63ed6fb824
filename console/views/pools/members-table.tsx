import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { PoolView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { pools } from "../../strings/en/pools.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { AgentBadges, HealthBar } from "../agents/agent-badges.tsx";

const text = agents.fields;

type Member = PoolView["members"][number];

const COLUMNS: readonly Column<Member>[] = [
  {
    name: common.agent,
    isLong: true,
    onCard: "title",
    cell: (member) => (
      <Anchor component={Link} href={pageOf(member)} size="sm">
        {member.name}
      </Anchor>
    ),
  },
  {
    name: common.status,
    onCard: "beside",
    cell: (member) => (
      <AgentBadges
        status={member.status}
        enabled={member.enabled}
        draining={member.draining}
        isNew={hasNeverStarted(member)}
      />
    ),
  },
  {
    name: text.health,
    cell: (member) => <HealthBar score={hasNeverStarted(member) ? null : member.healthScore} />,
  },
  { name: text.runningJobs, cell: ({ runningJobs, maxConcurrentJobs }) => agents.load(runningJobs, maxConcurrentJobs) },
  { name: text.lastHeartbeat, cell: ({ lastHeartbeatAt }) => <TimeAgo at={lastHeartbeatAt} /> },
];

/** The pool's agents. The agent that gets jobs first is at the top. */
export function MembersTable({ members }: Pick<PoolView, "members">) {
  const sorted = [...members].sort(
    (a, b) =>
      Number(b.enabled) - Number(a.enabled) || b.healthScore - a.healthScore || a.name.localeCompare(b.name, "en"),
  );
  return (
    <ListTable
      label={pools.members}
      rows={sorted}
      columns={COLUMNS}
      keyOf={({ agentId }) => agentId}
      hrefOf={pageOf}
      minWidth={620}
    />
  );
}

function pageOf({ agentId }: Member): string {
  return `/agents/${agentId}`;
}

function hasNeverStarted({ maxConcurrentJobs, lastHeartbeatAt }: Member): boolean {
  return maxConcurrentJobs === null && lastHeartbeatAt === null;
}
