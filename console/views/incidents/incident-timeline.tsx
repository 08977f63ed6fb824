import { Anchor, Group, Stack, Text, Timeline } from "@mantine/core";
import { Link } from "wouter";
import type { IncidentEventView } from "../../../schema/contract/incident.ts";
import { incidents } from "../../strings/en/incidents.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { Panel } from "../../ui/panel.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeInFull } from "../../ui/time.tsx";

const text = incidents.events;

/** The service returns at most this many events of an incident. */
const EVENTS_MAX = 500;

/** The events of an incident, oldest first, with the executions that each started. */
export function IncidentTimeline({ events }: { events: readonly IncidentEventView[] }) {
  return (
    <Panel title={text.title}>
      <Timeline active={events.length - 1} bulletSize={14} lineWidth={2}>
        {events.map((event) => (
          <Timeline.Item
            key={event.id}
            title={
              <Group gap="xs">
                <Text size="sm" fw={500} component="span">
                  {text.names[event.type]}
                </Text>
                <Text size="xs" c="dimmed" component="span">
                  {event.by === null ? (
                    <TimeInFull at={event.at} />
                  ) : (
                    text.by(<TimeInFull at={event.at} />, actorLabel(event.by))
                  )}
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
          {text.onlyFirst(EVENTS_MAX)}
        </Text>
      ) : null}
    </Panel>
  );
}

function Started({ event }: { event: IncidentEventView }) {
  if (event.executions.length === 0) {
    return (
      <Text size="xs" c="dimmed">
        {event.matchedAt === null ? text.matching : text.noneStarted}
      </Text>
    );
  }
  return (
    <Stack gap={4} mt={2}>
      {event.executions.map((execution) => (
        <Group key={execution.id} gap="xs">
          <Anchor component={Link} href={`/executions/${execution.id}`} size="sm">
            {execution.workflowName ?? text.deletedWorkflow}
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
