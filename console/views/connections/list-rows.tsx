import { Anchor, Badge, Group, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ConnectionView } from "../../../schema/contract/management.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { CredentialBadge } from "./credential/credential-badge.tsx";
import { TypeIcon } from "../../ui/type-icon.tsx";
import { descriptorOf } from "../../../schema/contract/connection.ts";
import type { Agents } from "./use-agents.ts";
import type { WorkflowUsers } from "./use-workflow-users.ts";
import { Where } from "./where.tsx";
import { common } from "../../strings/en/common.ts";
import { connections as catalogue } from "../../strings/en/connections.ts";

const text = catalogue.list;

interface Props {
  connections: readonly ConnectionView[];
  agents: Agents;
  users: WorkflowUsers | undefined;
}

/** Connections as a table, or as cards on a narrow screen. */
export function ConnectionRows({ connections, agents, users }: Props) {
  const columns: readonly Column<ConnectionView>[] = [
    {
      name: common.connection,
      isLong: true,
      onCard: "title",
      cell: (connection) => <Name connection={connection} />,
    },
    { name: catalogue.runsOn, isLong: true, cell: (connection) => <Where connection={connection} agents={agents} /> },
    { name: text.state, onCard: "beside", cell: ({ enabled }) => <Enabled enabled={enabled} /> },
    { name: catalogue.credential, cell: (connection) => <Credential connection={connection} /> },
    { name: catalogue.usedBy, cell: ({ id }) => <Text size="sm">{usedBy(id, users)}</Text> },
  ];
  return (
    <ListTable label={common.connections} rows={connections} columns={columns} keyOf={({ id }) => id} hrefOf={pageOf} />
  );
}

function pageOf({ id }: ConnectionView): string {
  return `/connections/${id}`;
}

function Name({ connection }: { connection: ConnectionView }) {
  const { name, type } = connection;
  return (
    <Group gap="sm" wrap="nowrap">
      <TypeIcon type={type} />
      <div style={{ minWidth: 0 }}>
        <Anchor component={Link} href={pageOf(connection)} fw={600} size="sm">
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
      {enabled ? catalogue.enabled : catalogue.disabled}
    </Badge>
  );
}

/** The worst status among the agents. With several agents, also the number of agents that have the credential. */
function Credential({ connection: { credentialStatus, credentials } }: { connection: ConnectionView }) {
  if (credentialStatus === null) {
    return (
      <Text size="sm" c="dimmed" component="span">
        {text.notNeeded}
      </Text>
    );
  }
  const worst = credentials.filter(({ status }) => status === credentialStatus);
  const error = worst.find((own) => own.error !== null)?.error ?? null;
  const version = worst.reduce((highest, own) => Math.max(highest, own.version), 0);
  const delivered = credentials.filter(({ status }) => status === "delivered").length;
  return (
    <Group gap={6} wrap="nowrap" w="max-content">
      <CredentialBadge credential={{ status: credentialStatus, error, version }} />
      {credentials.length < 2 ? null : (
        <Text size="xs" c="dimmed" component="span">
          {text.delivered(delivered, credentials.length)}
        </Text>
      )}
    </Group>
  );
}

function usedBy(id: string, users: WorkflowUsers | undefined): string {
  if (users === undefined) return text.usersUnread;
  const count = users.byConnection.get(id)?.length ?? 0;
  return count === 0 && users.isComplete ? text.noUser : text.users(count, users.isComplete);
}
