import { Anchor, Group, Stack, Text, Timeline } from "@mantine/core";
import { Link } from "wouter";
import type { IncidentEventView } from "../../../schema/contract/incident.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeInFull } from "../../ui/time.tsx";

const NAMES = {
  "incident.created": "Created",
  "incident.acknowledged": "Acknowledged",
  "incident.resolved": "Resolved",
  "incident.escalated": "Escalated",
  "incident.reassigned": "Reassigned",
} as const satisfies Record<IncidentEventView["type"], string>;

/** The service returns at most this many events of an incident. */
const EVENTS_MAX = 500;

/** The events of an incident, oldest first, with the executions that each started. */
export function IncidentTimeline({ events }: { events: readonly IncidentEventView[] }) {
  return (
    <Panel title="Events">
      <Timeline active={events.length - 1} bulletSize={14} lineWidth={2}>
        {events.map((event) => (
          <Timeline.Item
            key={event.id}
            title={
              <Group gap="xs">
                <Text size="sm" fw={500} component="span">
                  {NAMES[event.type]}
                </Text>
                <Text size="xs" c="dimmed" component="span">
                  <TimeInFull at={event.at} />
                  {event.by === null ? "" : `, by ${actorLabel(event.by)}`}
                </Text>
              </Group>
            }
          >
            {event.reason === null ? null : (
              <Text size="sm" style={{ whiteSpace: "pre-wrap" }}>
                {event.reason}
              </Text>
            )}
            <Started event={event} />
          </Timeline.Item>
        ))}
      </Timeline>
      {events.length >= EVENTS_MAX ? (
        <Text size="sm" c="dimmed">
          Only the first {EVENTS_MAX} events are shown.
        </Text>
      ) : null}
    </Panel>
  );
}

function Started({ event }: { event: IncidentEventView }) {
  if (event.executions.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {event.matchedAt === null ? "Matching workflows …" : "No matching active workflow."}
      </Text>
    );
  }
  return (
    <Stack gap={4} mt={2}>
      {event.executions.map((execution) => (
        <Group key={execution.id} gap="xs">
          <Anchor component={Link} href={`/executions/${execution.id}`} size="sm">
            {execution.workflowName ?? "A deleted workflow"}
          </Anchor>
          <StatusBadge status={execution.status} />
          <Text size="xs" c="dimmed" component="span">
            <Elapsed from={execution.startedAt} to={execution.finishedAt} />
          </Text>
        </Group>
      ))}
    </Stack>
  );
}
