import { Anchor, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView, ConnectionView } from "../../../schema/contract/management.ts";
import { useAll } from "../../api/use-all.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { Panel } from "../../ui/panel.tsx";
import { ReadState } from "../../ui/states.tsx";
import { CredentialBadge } from "../connections/credential/credential-badge.tsx";
import { connectionsOf } from "./connections-of.ts";

const text = agents.connections;

/** The connections whose jobs the agent may get, and whether it has their credentials. */
export function AgentConnections({ agent }: { agent: AgentView }) {
  const connections = useAll("/api/v1/automation/connections", { query: { limit: 200 } }, { everyMs: 10_000 });
  return (
    <Panel title={common.connections}>
      <ReadState read={{ ...connections, data: connections.items }}>
        {(items) => {
          const served = connectionsOf(items, agent);
          if (served.length === 0 && connections.isWhole) {
            return (
              <Text size="sm" c="dimmed">
                {text.none(agent.poolId !== null)}
              </Text>
            );
          }
          return (
            <Stack gap={6}>
              {served.map((connection) => (
                <Line key={connection.id} connection={connection} agentId={agent.id} />
              ))}
            </Stack>
          );
        }}
      </ReadState>
    </Panel>
  );
}

function Line({ connection, agentId }: { connection: ConnectionView; agentId: string }) {
  const credential = connection.credentials.find((one) => one.agentId === agentId);
  return (
    <Group justify="space-between" gap="xs" wrap="nowrap">
      <Text size="sm" component="span">
        <Anchor component={Link} href={`/connections/${connection.id}`} size="sm" underline="always">
          {connection.name}
        </Anchor>{" "}
        <Text span size="sm" c="dimmed">
          {text.details(connection.type, connection.agentId === agentId, connection.enabled)}
        </Text>
      </Text>
      {credential === undefined ? (
        <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
          {text.noCredential}
        </Text>
      ) : (
        <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }} w="max-content">
          <Text size="xs" c="dimmed">
            {text.credential}
          </Text>
          <CredentialBadge credential={credential} />
        </Group>
      )}
    </Group>
  );
}
