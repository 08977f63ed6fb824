import { Anchor, Badge, SimpleGrid, Stack, Text } from "@mantine/core";
import { Suspense, lazy } from "react";
import { Link } from "wouter";
import type { AgentCounts as Counts, Overview as OverviewState } from "../../../schema/contract/overview.ts";
import { useRead } from "../../api/queries.ts";
import { common } from "../../strings/en/common.ts";
import { overview as text } from "../../strings/en/overview.ts";
import { LiveBadge } from "../../ui/live-badge.tsx";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { STATUS_COLORS } from "../../ui/status.tsx";
import { Approvals } from "./approvals.tsx";
import { FirstRun, useFirstRun } from "./first-run.tsx";
import { LatencyChart } from "./latency-chart.tsx";
import { Agents, Failing, Incidents, WaitingJobs } from "./needs.tsx";
import { OutcomesChart } from "./outcomes-chart.tsx";
import { Running } from "./running.tsx";
import { Section } from "./section.tsx";
import { SetUp } from "./set-up.tsx";
import { SwitchedOff } from "./switched-off.tsx";
import { useLiveOverview } from "./use-live-overview.ts";

const Asked = lazy(() => import("./asked.tsx"));

/** What needs a person, the most urgent first; then what runs, figures, and what is missing in the set-up. */
export default function Overview() {
  const { read, feed } = useLiveOverview();
  return (
    <Page title={text.title} beside={<LiveBadge state={feed} />}>
      <ReadState read={read}>{(overview) => <Sections overview={overview} />}</ReadState>
    </Page>
  );
}

function Sections({ overview }: { overview: OverviewState }) {
  const { approvals, asked, incidents, waitingJobs, failing, switchedOff, agents, running, setUp, paused } = overview;
  const needs = [approvals, asked, incidents, waitingJobs, failing, switchedOff, agents];
  const isCalm = needs.every(({ items }) => items.length === 0) && agents.counts.unknown === 0 && paused === null;
  const isFresh = !setUp.hasAgent && !setUp.hasConnection && !setUp.hasWorkflow;
  const isUrgent = [approvals, asked, incidents, waitingJobs].some(({ items }) => items.length > 0);
  const guide = useFirstRun(overview);
  const firstRun = guide === null ? null : <FirstRun guide={guide} />;
  return (
    <Stack gap="md">
      {isUrgent ? null : firstRun}
      {paused === null ? null : <Text fw={600}>{text.paused}</Text>}
      {isCalm ? <Text c="dimmed">{text.nothing}</Text> : null}
      <Approvals approvals={approvals} />
      {asked.items.length === 0 ? null : (
        <Suspense fallback={null}>
          <Asked asked={asked} />
        </Suspense>
      )}
      <Incidents incidents={incidents} />
      <WaitingJobs jobs={waitingJobs} />
      <Failing failing={failing} />
      <SwitchedOff switchedOff={switchedOff} />
      <Agents agents={agents} failedFrom={failing.from} />
      <Running overview={overview} />
      {isFresh && running.count === 0 ? null : (
        <>
          <Figures />
          <AgentCounts counts={agents.counts} />
        </>
      )}
      {isUrgent ? firstRun : null}
      <SetUp setUp={setUp} isGuided={(guide?.steps ?? null) !== null} />
    </Stack>
  );
}

/** The last 24 hours in charts. */
function Figures() {
  const read = useRead("/api/v1/automation/statistics", {}, { everyMs: 120_000 });
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      <Section title={text.outcomes.title}>
        <ReadState read={read}>{(statistics) => <OutcomesChart statistics={statistics} />}</ReadState>
      </Section>
      <Section title={text.latency.title}>
        <ReadState read={read}>{(statistics) => <LatencyChart statistics={statistics} />}</ReadState>
      </Section>
    </SimpleGrid>
  );
}

const COUNTED = [
  { name: "online", color: STATUS_COLORS.Online },
  { name: "degraded", color: STATUS_COLORS.Degraded },
  { name: "offline", color: STATUS_COLORS.Offline },
  { name: "neverStarted", color: "gray" },
  { name: "disabled", color: "gray" },
] as const;

/** How many agents have each status. */
function AgentCounts({ counts }: { counts: Counts }) {
  return (
    <Section
      title={common.agents}
      aside={
        <Anchor component={Link} href="/agents" size="sm">
          {text.agentsAndPools}
        </Anchor>
      }
    >
      <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="xs" component="dl" m={0}>
        {COUNTED.map(({ name, color }) => (
          <Stack key={name} gap={2} align="flex-start">
            <Badge component="dt" color={color} variant="light" radius="sm" tt="none">
              {text.counts[name]}
            </Badge>
            <Text component="dd" size="xl" fw={600} m={0}>
              {counts[name]}
            </Text>
          </Stack>
        ))}
      </SimpleGrid>
    </Section>
  );
}
