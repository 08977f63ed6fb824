import { Anchor, Badge, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { isWebAddress } from "../../../schema/contract/web-address.ts";
import { useRead } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import type { IncidentDetail } from "../../../schema/contract/incident.ts";
import { common } from "../../strings/en/common.ts";
import { incidents as text } from "../../strings/en/incidents.ts";
import { Copy } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { IncidentStatusBadge, SeverityBadge } from "../../ui/incident-badges.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ReadState } from "../../ui/states.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { IncidentActions } from "./incident-actions.tsx";
import { IncidentTimeline } from "./incident-timeline.tsx";

const REFRESH_MS = 3_000;
const ABOVE = [{ label: common.incidents, href: "/incidents" }];

/** One incident: its fields, its events, and the executions that they started. */
export default function View({ params }: { params: Record<string, string | undefined> }) {
  const id = params["id"] ?? "";
  const incident = useRead("/api/v1/automation/incidents/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  const mayWrite = useCan("incidents:write");
  if (incident.data === undefined) {
    return (
      <Page title={common.incident} above={ABOVE}>
        <ReadState read={incident}>{() => null}</ReadState>
      </Page>
    );
  }
  const { title, severity, status, escalationLevel } = incident.data;
  return (
    <Page
      title={title}
      above={ABOVE}
      beside={
        <Group gap={4}>
          <IncidentStatusBadge status={status} />
          <SeverityBadge severity={severity} />
          {escalationLevel === 0 ? null : (
            <Badge color="orange" variant="light" radius="sm" tt="none">
              {text.escalatedTo(escalationLevel)}
            </Badge>
          )}
        </Group>
      }
      actions={mayWrite ? <IncidentActions incident={incident.data} /> : null}
    >
      <ReadState read={incident}>
        {(data) => (
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Stack gap="md">
              {data.description === null ? null : (
                <Panel title={common.description}>
                  {/* A long description must not push the events far down. */}
                  <Text
                    size="sm"
                    mah="20rem"
                    style={{ whiteSpace: "pre-wrap", overflow: "auto" }}
                    tabIndex={0}
                    role="region"
                    aria-label={text.wholeDescription}
                  >
                    {data.description}
                  </Text>
                </Panel>
              )}
              <IncidentTimeline events={data.events} />
            </Stack>
            <IncidentFacts incident={data} />
          </SimpleGrid>
        )}
      </ReadState>
    </Page>
  );
}

function IncidentFacts({ incident }: { incident: IncidentDetail }) {
  const tags = Object.entries(incident.tags);
  const given = (
    [
      [text.fields.service, incident.service],
      [text.fields.host, incident.host],
      [common.source, incident.source],
      [text.fields.team, incident.teamId],
      [text.fields.assignedTo, incident.assignedTo],
    ] as const
  ).map(([name, value]) => [name, value ?? <Dash key={name} />] as const);
  return (
    <Panel title={common.details}>
      <Facts
        facts={[
          ...given,
          [common.created, <TimeInFull key="created" at={incident.createdAt} />],
          [common.changed, <TimeInFull key="changed" at={incident.updatedAt} />],
          ...(incident.resolvedAt === null
            ? []
            : ([[text.fields.resolved, <TimeInFull key="resolved" at={incident.resolvedAt} />]] as const)),
          ...(incident.dedupKey === null ? [] : ([[text.fields.dedupKey, incident.dedupKey]] as const)),
          [
            common.id,
            <Group key="id" gap={4} wrap="nowrap">
              <Code>{incident.id}</Code>
              <Copy value={incident.id} label={common.copyId} />
            </Group>,
          ],
        ]}
      />
      {tags.length === 0 ? null : (
        <Group gap={4} aria-label={text.fields.tags} role="list">
          {tags.map(([name, value]) => (
            <Code key={name} role="listitem" style={{ overflowWrap: "anywhere" }}>
              {name}=
              {isWebAddress(value) && URL.canParse(value) ? (
                <Anchor href={value} target="_blank" rel="noopener noreferrer" inherit>
                  {value}
                </Anchor>
              ) : (
                value
              )}
            </Code>
          ))}
        </Group>
      )}
    </Panel>
  );
}

function Dash() {
  return (
    <Text span size="sm" c="dimmed">
      {common.none}
    </Text>
  );
}
