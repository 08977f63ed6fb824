import { Anchor, Badge, Button, Group, Paper, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { PoolSummary } from "../../../schema/contract/management.ts";
import { useRead } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { agents } from "../../strings/en/agents.ts";
import { ErrorState } from "../../ui/states.tsx";
import { poolStateOf } from "./pool-state.ts";

const text = agents.pools;
/** Each card reads its pool. Further pools are read only after a click on "Show all". */
const SHOWN_FIRST = 8;
const REFRESH_MS = 5_000;

/** The pools above the list of agents: ready agents and waiting jobs. Renders nothing when there is no pool. */
export function PoolsOverview() {
  const pools = useAll("/api/v1/automation/pools", { query: { limit: 200 } }, { everyMs: 4 * REFRESH_MS });
  const [all, setAll] = useState(false);
  if (pools.items === undefined) {
    return pools.error === null ? null : <ErrorState error={pools.error} retry={pools.refetch} />;
  }
  const shown = all ? pools.items : pools.items.slice(0, SHOWN_FIRST);
  if (shown.length === 0) return null;
  return (
    <Stack component="section" gap="xs" aria-label={text.label}>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3, lg: 4 }} spacing="xs">
        {shown.map((pool) => (
          <PoolCard key={pool.id} pool={pool} />
        ))}
      </SimpleGrid>
      {pools.items.length > shown.length ? (
        <Button variant="subtle" size="compact-sm" style={{ alignSelf: "start" }} onClick={() => setAll(true)}>
          {text.showAll(pools.items.length)}
        </Button>
      ) : null}
    </Stack>
  );
}

function PoolCard({ pool: { id, agentCount } }: { pool: PoolSummary }) {
  const pool = useRead("/api/v1/automation/pools/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  const state = pool.data === undefined ? null : poolStateOf(pool.data);
  return (
    <Paper withBorder px="sm" py="xs">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Anchor component={Link} href={`/pools/${id}`} fw={500} size="sm" truncate>
          {id}
        </Anchor>
        {state === null ? null : (
          <Badge color={state.color} variant="light" radius="sm" tt="none" style={{ flexShrink: 0 }}>
            {state.label}
          </Badge>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        {state === null ? text.size(agentCount, pool.error !== null) : state.counts}
      </Text>
    </Paper>
  );
}
