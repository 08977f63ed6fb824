import { Anchor, Code, Group, SimpleGrid, Stack, Title } from "@mantine/core";
import { Fragment } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { GraphView } from "../../graph/graph-view.tsx";
import { common } from "../../strings/en/common.ts";
import { limits } from "../../strings/en/limits.ts";
import { concurrency } from "../../strings/en/concurrency.ts";
import { retention } from "../../strings/en/retention.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { spelledDuration } from "../../strings/time.ts";
import { actorLabel } from "../../ui/actor-label.ts";
import { ChangeHistory } from "../../ui/change-history.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { nodesOf } from "../designer/model/graph-edit.ts";
import { KeptExecutions } from "./kept-executions.tsx";
import { LastOutcome } from "./last-outcome.tsx";
import { LimitList } from "./limit-list.tsx";
import { FailureWorkflows, Rules } from "./follow-ups.tsx";
import { MissedRuns } from "./missed-runs.tsx";
import { NodeList } from "./node-list.tsx";
import { Tags } from "./tags.tsx";
import { isSameJson } from "./same.ts";
import { triggerFacts } from "./trigger-facts.tsx";
import { triggerLabel } from "./labels.ts";

const text = workflows.overview;

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
          <Section title={common.trigger}>
            <Facts
              facts={[
                [text.startedBy, triggerLabel(trigger)],
                ...(otherTrigger === null ? [] : [[text.liveTrigger, triggerLabel(otherTrigger)] as const]),
                ...triggerFacts(trigger),
                ...(workflow.nextRunAt === null
                  ? []
                  : [[workflows.nextRun, <TimeInFull key="next" at={workflow.nextRunAt} />] as const]),
              ]}
            />
          </Section>
          <Section title={common.status}>
            <Facts
              facts={[
                [workflows.lastRun, <LastOutcome key="last" execution={workflow.lastExecution} />],
                [text.published, publishedLabel(live, workflow)],
                ...(workflow.tags.length === 0
                  ? []
                  : [[workflows.tags, <Tags key="tags" tags={workflow.tags} />] as const]),
                [retention.workflow.fact, <KeptExecutions key="kept" workflow={workflow} />],
                [text.timeLimit, timeoutLabel(definition.timeoutSeconds)],
                [
                  concurrency.sameTime,
                  concurrency.sameTimeRules[definition.concurrency?.mode ?? "allow"](definition.concurrency?.key),
                ],
                ...(definition.limits === undefined || definition.limits.length === 0
                  ? []
                  : [[limits.fields.title, <LimitList key="limits" limits={definition.limits} />] as const]),
                [text.notifiedBy, <Rules key="rules" workflow={workflow} />],
                [text.onFailure, <FailureWorkflows key="failure" id={workflow.id} />],
                [
                  common.changed,
                  <Fragment key="changed">
                    <TimeInFull at={workflow.updatedAt} />
                    <ChangeHistory id={workflow.id} />
                  </Fragment>,
                ],
                [common.created, <TimeInFull key="created" at={workflow.createdAt} />],
                [
                  common.id,
                  <Group key="id" gap={4} wrap="nowrap">
                    <Code>{workflow.id}</Code>
                    <Copy value={workflow.id} label={common.copyId} />
                  </Group>,
                ],
              ]}
            />
          </Section>
        </Stack>
        <Section title={text.graph(nodesOf(definition).length)}>
          <GraphView definition={definition} label={text.graphLabel(workflow.name)} height="380px" />
        </Section>
      </SimpleGrid>
      {live?.definition.concurrency?.mode === "queue" && trigger.type !== "cron" ? (
        <MissedRuns workflow={workflow} timezone="UTC" />
      ) : null}
      <Section title={text.steps}>
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
  if (live === null) return text.notPublished;
  if (live === undefined) return "…";
  const version = (
    <Anchor component={Link} href={`/workflows/${id}?tab=versions`} size="sm" underline="always">
      {text.version(live.number)}
    </Anchor>
  );
  return text.publishedAt(version, actorLabel(live.publishedBy), <TimeInFull at={live.publishedAt} />);
}

function timeoutLabel(seconds: number | undefined): string {
  return seconds === undefined ? text.noTimeLimit : spelledDuration(seconds);
}
