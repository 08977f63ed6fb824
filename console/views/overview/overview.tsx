import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useAll } from "../../api/use-all.ts";
import { ErrorState } from "../../ui/states.tsx";
import { Page } from "../../ui/page.tsx";
import { Agents } from "./agents.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Failed } from "./failed.tsx";
import { Figures } from "./figures.tsx";
import { GettingStarted } from "./getting-started.tsx";
import { LiveBadge } from "../../ui/live-badge.tsx";
import { Pools } from "./pools.tsx";
import { Running } from "./running.tsx";
import { PAGES_MAX, PAGE_SIZE } from "./paging.ts";
import { useLiveExecutions } from "./use-live-executions.ts";
import { WorkflowBanners } from "./workflow-banners.tsx";

const PAGE = { query: { limit: PAGE_SIZE } };

/** Answers the first questions of a person on call: what runs, what has failed, and what is unhealthy. */
export default function Overview() {
  const workflows = useAll("/api/v1/automation/workflows", PAGE, { everyMs: 60_000, pagesMax: PAGES_MAX });
  const connections = useAll("/api/v1/automation/connections", PAGE, { everyMs: 60_000, pagesMax: PAGES_MAX });
  const agents = useAll("/api/v1/automation/agents", PAGE, { everyMs: 30_000, pagesMax: PAGES_MAX });
  const { feed, running, failed } = useLiveExecutions();

  const lists = [workflows, connections, agents];
  const names =
    workflows.items === undefined || workflows.isReading
      ? null
      : new Map(workflows.items.map(({ id, name }) => [id, name]));
  const steps = {
    agent: hasSome(agents),
    connection: hasSome(connections),
    workflow: hasSome(workflows),
  };
  const areRead = lists.every(({ items }) => items !== undefined);
  const isFresh = areRead && !steps.agent && !steps.connection && !steps.workflow;
  const isIncomplete = areRead && !(steps.agent && steps.connection && steps.workflow);
  // The sections of the executions and the agents show their own errors.
  const unreadable = [workflows, connections].find(({ items, error }) => items === undefined && error !== null);
  const ranSomething = (running.data?.items.length ?? 0) + (failed.data?.items.length ?? 0) > 0;
  return (
    <Page title="Overview" beside={<LiveBadge state={feed} />}>
      <Stack gap="md">
        {unreadable === undefined ? null : (
          <ErrorState error={unreadable.error} retry={() => Promise.all(lists.map((list) => list.refetch()))} />
        )}
        <WorkflowBanners workflows={workflows.items ?? []} />
        <ConnectionBanner connections={connections.items ?? []} />
        {lists.some((list) => list.items !== undefined && !list.isWhole && !list.isReading) ? (
          <Text size="sm" c="dimmed">
            The overview shows only a part of the data. The lists have everything.
          </Text>
        ) : null}
        {isIncomplete ? <GettingStarted steps={steps} /> : null}
        {isFresh && !ranSomething ? null : (
          <>
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              <Running read={running} names={names} />
              <Failed read={failed} names={names} />
            </SimpleGrid>
            <Figures />
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
              <Agents read={agents} />
              <Pools agents={agents.isReading ? undefined : agents.items} />
            </SimpleGrid>
          </>
        )}
      </Stack>
    </Page>
  );
}

function hasSome({ items }: { items: readonly unknown[] | undefined }): boolean {
  return items !== undefined && items.length > 0;
}
