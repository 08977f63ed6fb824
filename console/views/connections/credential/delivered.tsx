import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useRead } from "../../../api/queries.ts";
import type { ConnectionView } from "../../../../schema/contract/management.ts";
import type { Agents } from "../use-agents.ts";
import { AgentStatuses } from "./agent-statuses.tsx";
import type { Delivered as DeliveredTo } from "./use-delivery.ts";
import type { ExpectedAgent } from "./use-expected-agents.ts";

const POLL_MS = 3_000;

interface Props {
  connection: ConnectionView;
  delivered: DeliveredTo;
  expected: readonly ExpectedAgent[];
  agents: Agents;
  onClose: () => void;
}

/** The progress of a delivery, agent by agent, until each has accepted or refused it. */
export function Delivered({ connection, delivered, expected, agents, onClose }: Props) {
  const read = useRead("/api/v1/automation/connections/{id}", { path: { id: connection.id } }, { everyMs: POLL_MS });
  // A read from before the delivery has an older version.
  const current = delivered.statuses.map((answered) => {
    const latest = read.data?.credentials.find(({ agentId }) => agentId === answered.agentId);
    return latest !== undefined && latest.version >= answered.version ? latest : answered;
  });
  const own = current.filter(({ agentId }) => delivered.recipients.some((recipient) => recipient.agentId === agentId));
  const waiting = own.filter(({ status }) => status === "pending").length;
  const failed = own.filter(({ status }) => status === "failed" || status === "expired").length;
  return (
    <Stack gap="md">
      <Group gap="xs" role="status">
        {waiting === 0 ? null : <Loader size="xs" aria-hidden />}
        <Text size="sm" fw={600}>
          {waiting > 0
            ? `Encrypted and sent. Waiting for ${waiting} of ${own.length} to fetch it.`
            : failed > 0
              ? `${failed} of ${own.length} did not accept it.`
              : `Delivered: ${own.length === 1 ? "the agent has it" : `all ${own.length} agents have it`}.`}
        </Text>
      </Group>
      <AgentStatuses credentials={own} expected={expected} agents={agents} />
      {waiting === 0 ? null : (
        <Text size="sm" c="dimmed">
          You can close this dialog: the connection&apos;s page shows the progress, too.
        </Text>
      )}
      <Group>
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  );
}
