import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { common } from "../../strings/en/common.ts";
import { incidents as text } from "../../strings/en/incidents.ts";
import { IncidentStatusBadge, SeverityBadge } from "../../ui/incident-badges.tsx";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { TimeAgo } from "../../ui/time.tsx";

const COLUMNS: readonly Column<IncidentView>[] = [
  { name: common.severity, cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    name: common.incident,
    isLong: true,
    onCard: "title",
    cell: (incident) => (
      <Anchor component={Link} href={pageOf(incident)} size="sm" fw={500} lineClamp={2}>
        {incident.title}
      </Anchor>
    ),
  },
  {
    name: common.status,
    onCard: "beside",
    cell: ({ status, escalationLevel }) => (
      <Stack gap={2} align="flex-start">
        <IncidentStatusBadge status={status} />
        {escalationLevel === 0 ? null : (
          <Text size="xs" c="dimmed">
            {text.level(escalationLevel)}
          </Text>
        )}
      </Stack>
    ),
  },
  { name: text.fields.where, isLong: true, cell: ({ service, host }) => present([service, host]) },
  { name: common.source, isLong: true, cell: ({ source }) => present([source]) },
  { name: text.fields.assignedTo, isLong: true, cell: ({ assignedTo, teamId }) => present([assignedTo, teamId]) },
  { name: common.created, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
];

export function IncidentsTable({ incidents }: { incidents: readonly IncidentView[] }) {
  return (
    <ListTable label={common.incidents} rows={incidents} columns={COLUMNS} keyOf={({ id }) => id} hrefOf={pageOf} />
  );
}

function pageOf({ id }: IncidentView): string {
  return `/incidents/${id}`;
}

function present(values: readonly (string | null)[]) {
  const shown = values.filter((value) => value !== null).join(" · ");
  if (shown === "") return null;
  return (
    <Text size="sm" lineClamp={2} title={shown}>
      {shown}
    </Text>
  );
}
