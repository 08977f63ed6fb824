import { Anchor, Code, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { Copy } from "../../ui/copy.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { Facts } from "./facts.tsx";
import { LastOutcome } from "./last-outcome.tsx";
import { NodeList } from "./node-list.tsx";
import { isSameJson } from "./same.ts";
import { triggerFacts } from "./trigger-facts.tsx";
import { count } from "../../strings/format.ts";
import { secondsLabel, triggerLabel } from "./labels.ts";

/** The trigger, state and nodes of a workflow's draft. */
export function OverviewTab({
  workflow,
  live,
}: {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
}) {
  const { definition, trigger } = workflow;
  const otherTrigger = live !== null && live !== undefined && !isSameJson(live.trigger, trigger) ? live.trigger : null;
  return (
    <Stack gap="xl">
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack gap="lg">
          <Section title="Trigger">
            <Facts
              facts={[
                { name: "Starts on", value: triggerLabel(trigger) },
                ...(otherTrigger === null ? [] : [{ name: "Live trigger", value: triggerLabel(otherTrigger) }]),
                ...triggerFacts(trigger),
                ...(workflow.nextRunAt === null
                  ? []
                  : [{ name: "Next run", value: <TimeInFull at={workflow.nextRunAt} /> }]),
              ]}
            />
          </Section>
          <Section title="Status">
            <Facts
              facts={[
                { name: "Last run", value: <LastOutcome execution={workflow.lastExecution} /> },
                { name: "Published", value: publishedLabel(live, workflow) },
                { name: "Time limit", value: timeoutLabel(definition.timeoutSeconds) },
                { name: "Changed", value: <TimeInFull at={workflow.updatedAt} /> },
                { name: "Created", value: <TimeInFull at={workflow.createdAt} /> },
                {
                  name: "Id",
                  value: (
                    <Group gap={4} wrap="nowrap">
                      <Code>{workflow.id}</Code>
                      <Copy value={workflow.id} label="Copy the id" />
                    </Group>
                  ),
                },
              ]}
            />
          </Section>
        </Stack>
        <Section title={`Graph: ${count(definition.nodes.length, "step")}`}>
          <GraphView definition={definition} label={`The steps of ${workflow.name}`} height="380px" />
        </Section>
      </SimpleGrid>
      <Section title="Steps">
        <NodeList definition={definition} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function publishedLabel(live: WorkflowVersionView | null | undefined, { id }: WorkflowView) {
  if (live === null) return "not published";
  if (live === undefined) return "…";
  return (
    <Text component="span" inherit>
      <Anchor component={Link} href={`/workflows/${id}?tab=versions`} size="sm" underline="always">
        version {live.number}
      </Anchor>
      , <TimeInFull at={live.publishedAt} />
    </Text>
  );
}

function timeoutLabel(seconds: number | undefined): string {
  return seconds === undefined ? "none set (400 days at most)" : secondsLabel(seconds);
}
