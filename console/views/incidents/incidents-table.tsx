import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { IncidentStatusBadge, SeverityBadge } from "../../ui/incident-badges.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { TimeAgo } from "../../ui/time.tsx";

const COLUMNS: readonly Column<IncidentView>[] = [
  { name: "Severity", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    name: "Incident",
    isLong: true,
    onCard: "title",
    cell: (incident) => (
      <Anchor component={Link} href={pageOf(incident)} size="sm" fw={500} lineClamp={2}>
        {incident.title}
      </Anchor>
    ),
  },
  {
    name: "Status",
    onCard: "beside",
    cell: ({ status, escalationLevel }) => (
      <Stack gap={2} align="flex-start">
        <IncidentStatusBadge status={status} />
        {escalationLevel === 0 ? null : (
          <Text size="xs" c="dimmed">
            escalation level {escalationLevel}
          </Text>
        )}
      </Stack>
    ),
  },
  { name: "Where", isLong: true, cell: ({ service, host }) => present([service, host]) },
  { name: "Source", isLong: true, cell: ({ source }) => present([source]) },
  { name: "Assignee", isLong: true, cell: ({ assignedTo, teamId }) => present([assignedTo, teamId]) },
  { name: "Created", cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
];

export function IncidentsTable({ incidents }: { incidents: readonly IncidentView[] }) {
  return <ListTable label="Incidents" rows={incidents} columns={COLUMNS} keyOf={({ id }) => id} hrefOf={pageOf} />;
}

function pageOf({ id }: IncidentView): string {
  return `/incidents/${id}`;
}

function present(values: readonly (string | null)[]) {
  const text = values.filter((value) => value !== null).join(" · ");
  if (text === "") return null;
  return (
    <Text size="sm" lineClamp={2} title={text}>
      {text}
    </Text>
  );
}
