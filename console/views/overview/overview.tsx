import { Stack, Text } from "@mantine/core";
import type { Overview as OverviewState } from "../../../schema/contract/overview.ts";
import { LiveBadge } from "../../ui/live-badge.tsx";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { AgentCounts } from "./agent-counts.tsx";
import { Approvals } from "./approvals.tsx";
import { FirstRun, useFirstRun } from "./first-run.tsx";
import { Figures } from "./figures.tsx";
import { Agents, Failing, Incidents, WaitingJobs } from "./needs.tsx";
import { Running } from "./running.tsx";
import { SetUp } from "./set-up.tsx";
import { SwitchedOff } from "./switched-off.tsx";
import { useLiveOverview } from "./use-live-overview.ts";

/** What needs a person, the most urgent first; then what runs, figures, and what is missing in the set-up. */
export default function Overview() {
  const { read, feed } = useLiveOverview();
  return (
    <Page title="Overview" beside={<LiveBadge state={feed} />}>
      <ReadState read={read}>{(overview) => <Sections overview={overview} />}</ReadState>
    </Page>
  );
}

function Sections({ overview }: { overview: OverviewState }) {
  const { approvals, incidents, waitingJobs, failing, switchedOff, agents, running, setUp } = overview;
  const needs = [approvals, incidents, waitingJobs, failing, switchedOff, agents];
  const isCalm = needs.every(({ items }) => items.length === 0) && agents.counts.unknown === 0;
  const isFresh = !setUp.hasAgent && !setUp.hasConnection && !setUp.hasWorkflow;
  const guide = useFirstRun(overview);
  return (
    <Stack gap="md">
      {guide === null ? null : <FirstRun guide={guide} />}
      {isCalm ? <Text c="dimmed">Nothing needs you.</Text> : null}
      <Approvals approvals={approvals} />
      <Incidents incidents={incidents} />
      <WaitingJobs jobs={waitingJobs} />
      <Failing failing={failing} />
      <SwitchedOff switchedOff={switchedOff} />
      <Agents agents={agents} />
      <Running overview={overview} />
      {isFresh && running.count === 0 ? null : (
        <>
          <Figures />
          <AgentCounts counts={agents.counts} />
        </>
      )}
      <SetUp setUp={setUp} isGuided={guide !== null} />
    </Stack>
  );
}
