import { Alert, Anchor, Badge, Button, Stack, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import type { PoolView } from "../../../schema/contract/management.ts";
import { useRead } from "../../api/queries.ts";
import { useAll } from "../../api/use-all.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { pools as text } from "../../strings/en/pools.ts";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ReadState } from "../../ui/states.tsx";
import { CreateAgent } from "../agents/create-agent.tsx";
import { poolStateOf } from "../agents/pool-state.ts";
import { MembersTable } from "./members-table.tsx";
import { WaitingJobs } from "./waiting-jobs.tsx";

const REFRESH_MS = 4_000;

/** One pool: its agents, the jobs that wait, and why they wait. */
export default function View({ params }: { params: Record<string, string | undefined> }) {
  const id = params["id"] ?? "";
  const pool = useRead("/api/v1/automation/pools/{id}", { path: { id } }, { everyMs: REFRESH_MS });
  const mayWrite = useCan("agents:write");
  const [creating, setCreating] = useState(false);
  const state = pool.data === undefined ? null : poolStateOf(pool.data);
  return (
    <Page
      title={id}
      above={[{ label: text.parent, href: "/agents" }]}
      description={state?.counts}
      beside={
        state === null ? null : (
          <Badge color={state.color} variant="light" radius="sm" tt="none">
            {state.label}
          </Badge>
        )
      }
      actions={
        mayWrite && pool.data !== undefined ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {text.createAgent}
          </Button>
        ) : null
      }
    >
      <ReadState read={pool}>{(data) => <Content pool={data} />}</ReadState>
      {creating ? <CreateAgent poolId={id} onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function Content({ pool }: { pool: PoolView }) {
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } }, { everyMs: 10_000 });
  const ofPool = connections.items?.filter(({ poolId }) => poolId === pool.id) ?? [];
  return (
    <Stack gap="md">
      {pool.members.length === 0 ? (
        <Alert color="yellow" title={text.noAgent.title}>
          {ofPool.length === 0 ? "" : `${text.noAgent.usedBy(ofPool.map(({ name }) => name))} `}
          {text.noAgent.effect}
        </Alert>
      ) : (
        <Panel title={common.agents}>
          <MembersTable members={pool.members} />
        </Panel>
      )}
      <WaitingJobs pool={pool} />
      <Panel title={common.connections}>
        <ReadState read={{ ...connections, data: connections.items }}>
          {() =>
            ofPool.length === 0 && connections.isWhole ? (
              <Text size="sm" c="dimmed">
                {text.connections.none}
              </Text>
            ) : (
              <Stack gap={4}>
                {ofPool.map((connection) => (
                  <Text key={connection.id} size="sm">
                    <Anchor component={Link} href={`/connections/${connection.id}`} size="sm" underline="always">
                      {connection.name}
                    </Anchor>{" "}
                    <Text span size="sm" c="dimmed">
                      {connection.enabled ? connection.type : text.connections.disabled(connection.type)}
                    </Text>
                  </Text>
                ))}
              </Stack>
            )
          }
        </ReadState>
      </Panel>
    </Stack>
  );
}
