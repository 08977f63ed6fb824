import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView, PoolSummary } from "../../../schema/contract/management.ts";
import { messageOf } from "../../api/problem.ts";
import { useRead } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { ReadState } from "../../ui/states.tsx";
import { byNeed, waitingReasons } from "./health.ts";
import { Section } from "./section.tsx";
import { PAGES_MAX, PAGE_SIZE, countOf } from "./paging.ts";

/** Each pool is a separate request: only the pool knows its queue. */
const SHOWN = 8;
const EVERY_MS = 10_000;

/** The pools, the worst first, with the number of waiting jobs and the reasons. `agents`: those known so far. */
export function Pools({ agents }: { agents: readonly AgentView[] | undefined }) {
  const {
    items: data,
    isWhole,
    error,
    refetch,
  } = useAll("/api/v1/automation/pools", { query: { limit: PAGE_SIZE } }, { everyMs: 60_000, pagesMax: PAGES_MAX });
  return (
    <Section title="Pools">
      <ReadState read={{ data, error, refetch }}>
        {(pools) =>
          pools.length === 0 ? (
            <Text size="sm" c="dimmed">
              No pools yet. Put agents into the same pool to share jobs, and assign connections to that pool.
            </Text>
          ) : (
            <Stack gap="xs">
              {byNeed(pools, agents ?? [])
                .slice(0, SHOWN)
                .map((pool) => (
                  <PoolRow key={pool.id} pool={pool} />
                ))}
              {pools.length <= SHOWN ? null : (
                <Text size="sm" c="dimmed">
                  and {countOf(pools.length - SHOWN, isWhole)} more. Pools with problems come first.{" "}
                  <Anchor component={Link} href="/agents" size="sm" underline="always">
                    See all
                  </Anchor>
                </Text>
              )}
            </Stack>
          )
        }
      </ReadState>
    </Section>
  );
}

function PoolRow({ pool: { id, agentCount } }: { pool: PoolSummary }) {
  const { data, error } = useRead("/api/v1/automation/pools/{id}", { path: { id } }, { everyMs: EVERY_MS });
  const online = data?.members.filter(({ enabled, status }) => enabled && status !== "Offline").length;
  const reasons = data === undefined ? [] : waitingReasons(data.waiting);
  return (
    <Stack gap={2}>
      <Group justify="space-between" gap="xs">
        <Anchor component={Link} href={`/pools/${encodeURIComponent(id)}`} size="sm" fw={500}>
          {id}
        </Anchor>
        <Text size="sm" c="dimmed">
          {online === undefined ? "" : `${online} of `}
          {agentCount} {agentCount === 1 ? "agent" : "agents"}
          {online === undefined ? "" : " online"}
          {data === undefined ? "" : `, ${waits(data.queueDepth)}`}
        </Text>
      </Group>
      {reasons.length === 0 ? null : <Text size="sm">{`Reason for waiting: ${reasons.join("; ")}.`}</Text>}
      {data === undefined && error !== null ? (
        <Text size="sm" c="dimmed">
          {messageOf(error)}
        </Text>
      ) : null}
    </Stack>
  );
}

function waits(queueDepth: number): string {
  if (queueDepth === 0) return "no jobs queued";
  return queueDepth === 1 ? "1 job queued" : `${queueDepth} jobs queued`;
}
