import { Anchor, Badge, Box, Card, Group, Stack, Table, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link } from "wouter";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { CredentialBadge } from "./credential/credential-badge.tsx";
import { TypeIcon } from "./type-icon.tsx";
import { descriptorOf } from "../../../schema/contract/connection.ts";
import type { Agents } from "./use-agents.ts";
import type { WorkflowUsers } from "./use-workflow-users.ts";
import { Where } from "./where.tsx";

interface Props {
  connections: readonly ConnectionView[];
  agents: Agents;
  users: WorkflowUsers | undefined;
}

/** Connections as a table, or as cards on a narrow screen. */
export function ConnectionRows({ connections, agents, users }: Props) {
  const isNarrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  if (isNarrow) {
    return (
      <Stack gap="xs" component="ul" style={{ listStyle: "none", margin: 0, padding: 0 }}>
        {connections.map((connection) => (
          <Card key={connection.id} withBorder padding="sm" component="li">
            <Stack gap={6}>
              <Name connection={connection} />
              <Group gap="xs">
                <Enabled enabled={connection.enabled} />
                <Credential connection={connection} />
              </Group>
              <Text size="sm" component="div">
                Runs on: <Where connection={connection} agents={agents} />
              </Text>
              <Text size="sm" c="dimmed">
                {usedBy(connection.id, users)}
              </Text>
            </Stack>
          </Card>
        ))}
      </Stack>
    );
  }
  return (
    <Table.ScrollContainer minWidth={760} type="native" tabIndex={0} aria-label="Connections">
      <Table highlightOnHover verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Connection</Table.Th>
            <Table.Th>Runs on</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Credential</Table.Th>
            <Table.Th>Used by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {connections.map((connection) => (
            <Table.Tr key={connection.id}>
              <Table.Td>
                <Name connection={connection} />
              </Table.Td>
              <Table.Td>
                <Where connection={connection} agents={agents} />
              </Table.Td>
              <Table.Td>
                <Box miw="max-content">
                  <Enabled enabled={connection.enabled} />
                </Box>
              </Table.Td>
              <Table.Td>
                <Box miw="max-content">
                  <Credential connection={connection} />
                </Box>
              </Table.Td>
              <Table.Td>
                <Box miw="max-content">
                  <Text size="sm">{usedBy(connection.id, users)}</Text>
                </Box>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Name({ connection: { id, name, type } }: { connection: ConnectionView }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <TypeIcon type={type} />
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} href={`/connections/${id}`} fw={600} size="sm">
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {descriptorOf(type).label}
        </Text>
      </div>
    </Group>
  );
}

export function Enabled({ enabled }: { enabled: boolean }) {
  return (
    <Badge variant="light" radius="sm" tt="none" color={enabled ? "teal" : "gray"}>
      {enabled ? "enabled" : "disabled"}
    </Badge>
  );
}

/** The worst status among the agents. With several agents, also the number of agents that have the credential. */
function Credential({ connection: { credentialStatus, credentials } }: { connection: ConnectionView }) {
  if (credentialStatus === null) {
    return (
      <Text size="sm" c="dimmed" component="span">
        not needed
      </Text>
    );
  }
  const error = credentials.find((own) => own.status === credentialStatus && own.error !== null)?.error ?? null;
  const delivered = credentials.filter(({ status }) => status === "delivered").length;
  return (
    <Group gap={6} wrap="nowrap" w="max-content">
      <CredentialBadge credential={{ status: credentialStatus, error }} />
      {credentials.length < 2 ? null : (
        <Text size="xs" c="dimmed" component="span">
          {delivered} of {credentials.length} agents
        </Text>
      )}
    </Group>
  );
}

function usedBy(id: string, users: WorkflowUsers | undefined): string {
  if (users === undefined) return "…";
  const count = users.byConnection.get(id)?.length ?? 0;
  const least = users.isComplete ? "" : "at least ";
  return count === 0 && users.isComplete ? "no workflow" : `${least}${count} ${count === 1 ? "workflow" : "workflows"}`;
}
