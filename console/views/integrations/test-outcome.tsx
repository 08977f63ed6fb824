import { Alert, Anchor, Button, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useRead } from "../../api/queries.ts";
import { integrations } from "../../strings/en/integrations.ts";
import { IncidentStatusBadge } from "../../ui/incident-badges.tsx";
import type { Delivered } from "./deliver.ts";

const text = integrations.testEvent;

interface TestOutcomeProps {
  result: Delivered;
  onResolve: () => void;
  isResolving: boolean;
}

/** The outcome of a test event: its incident, the workflows that it started, and a button to resolve it. */
export function TestOutcome({ result, onResolve, isResolving }: TestOutcomeProps) {
  const { outcome, incidentId, detail } = result;
  const isSuccess = outcome === "created" || outcome === "resolved";
  return (
    <Alert color={isSuccess ? "teal" : "yellow"} role="status" title={text.outcomes[outcome]}>
      {detail === null ? null : <Text size="sm">{detail}</Text>}
      {incidentId === null ? null : <TestIncident id={incidentId} onResolve={onResolve} isResolving={isResolving} />}
    </Alert>
  );
}

function TestIncident({ id, onResolve, isResolving }: { id: string; onResolve: () => void; isResolving: boolean }) {
  const incident = useRead("/api/v1/automation/incidents/{id}", { path: { id } }, { everyMs: 3_000 });
  const executions = incident.data?.events.flatMap((event) => event.executions) ?? [];
  const isMatched = incident.data?.events.every(({ matchedAt }) => matchedAt !== null) ?? false;
  return (
    <Stack gap={6} align="flex-start">
      <Group gap="xs">
        <Anchor component={Link} href={`/incidents/${id}`} size="sm">
          {incident.data?.title ?? text.incident}
        </Anchor>
        {incident.data === undefined ? null : <IncidentStatusBadge status={incident.data.status} />}
      </Group>
      <Text size="sm">
        {executions.length > 0
          ? text.started(executions.map(({ workflowName }) => workflowName))
          : isMatched
            ? text.startedNone
            : text.matching}
      </Text>
      {incident.data === undefined || incident.data.status === "resolved" ? null : (
        <Button size="xs" variant="default" loading={isResolving} onClick={onResolve}>
          {text.resolve}
        </Button>
      )}
    </Stack>
  );
}
