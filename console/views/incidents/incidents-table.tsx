import { Anchor, Stack, Table, Text } from "@mantine/core";
import { Link } from "wouter";
import type { IncidentView } from "../../../schema/contract/incident.ts";
import { IncidentStatusBadge, SeverityBadge } from "../../ui/incident-badges.tsx";
import { TimeAgo } from "../../ui/time.tsx";

export function IncidentsTable({ incidents }: { incidents: readonly IncidentView[] }) {
  return (
    <Table.ScrollContainer minWidth={820} type="native" tabIndex={0} aria-label="Incidents">
      <Table verticalSpacing="xs" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            {["Severity", "Incident", "Status", "Where", "Source", "Assignee", "Created"].map((name) => (
              <Table.Th key={name} style={{ whiteSpace: "nowrap" }}>
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {incidents.map((incident) => (
            <Table.Tr key={incident.id}>
              <Table.Td>
                <SeverityBadge severity={incident.severity} />
              </Table.Td>
              <Table.Td miw={180} maw={420}>
                <Anchor component={Link} href={`/incidents/${incident.id}`} size="sm" fw={500} lineClamp={2}>
                  {incident.title}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <Stack gap={2} align="flex-start">
                  <IncidentStatusBadge status={incident.status} />
                  {incident.escalationLevel === 0 ? null : (
                    <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
                      escalation level {incident.escalationLevel}
                    </Text>
                  )}
                </Stack>
              </Table.Td>
              <Table.Td maw={180}>
                <Present values={[incident.service, incident.host]} />
              </Table.Td>
              <Table.Td maw={140}>
                <Present values={[incident.source]} />
              </Table.Td>
              <Table.Td maw={180}>
                <Present values={[incident.assignedTo, incident.teamId]} />
              </Table.Td>
              <Table.Td style={{ whiteSpace: "nowrap" }}>
                <TimeAgo at={incident.createdAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Present({ values }: { values: readonly (string | null)[] }) {
  const text = values.filter((value) => value !== null).join(" · ");
  return (
    <Text size="sm" lineClamp={2} title={text} style={{ overflowWrap: "anywhere" }}>
      {text}
    </Text>
  );
}
