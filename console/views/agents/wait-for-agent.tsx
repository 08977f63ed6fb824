import { Alert, Code, Group, List, Loader, Text } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { messageOf } from "../../api/problem.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { agentSetUp } from "../../strings/en/agent-set-up.ts";
import { useNow } from "../../ui/time.tsx";

const text = agentSetUp.wait;
const ASK_EVERY_MS = 3_000;
/** Enough time to log in to a machine and paste two lines. */
const ADVICE_AFTER_MS = 90_000;

/**
 * Waits until an agent registers, and gives advice when it does not. `rekey`: heartbeats with the old key do not count.
 */
export function WaitForAgent({ agentId, rekey }: { agentId: string; rekey: boolean }) {
  const agent = useRead("/api/v1/automation/agents/{id}", { path: { id: agentId } }, { everyMs: ASK_EVERY_MS });
  const [startedAt] = useState(serviceNow);
  const now = useNow(5_000);
  const lastHeartbeatAt = agent.data?.lastHeartbeatAt ?? null;
  // The former key is refused by now, so this is the last heartbeat that it could send.
  const before = useQuery({
    queryKey: ["agent-before-rekey", agentId],
    queryFn: ({ signal }) => call("GET", "/api/v1/automation/agents/{id}", { path: { id: agentId } }, { signal }),
    enabled: rekey,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: true,
  });
  const since = rekey ? before.data?.lastHeartbeatAt : null;
  const isNew = lastHeartbeatAt !== null && since !== undefined && (since === null || lastHeartbeatAt > since);
  if (agent.data !== undefined && isNew && agent.data.registration !== null && agent.data.status !== "Offline") {
    const { status, registration } = agent.data;
    const { version, name, os, arch, fingerprint } = registration;
    return (
      <Alert
        color="teal"
        icon={<IconCheck aria-hidden />}
        role="status"
        title={text.connected(agent.data.name, status)}
      >
        {text.facts(version, name, `${os} ${arch}`, <Code>{fingerprint}</Code>)}
      </Alert>
    );
  }
  if (now - startedAt < ADVICE_AFTER_MS) {
    return (
      <Group gap="xs" role="status" wrap="nowrap">
        <Loader size="xs" />
        <Text size="sm">
          {text.waiting} {agent.error === null ? null : text.lastFailed(messageOf(agent.error))}
        </Text>
      </Group>
    );
  }
  const { title, check, doctor, log, network } = text.late;
  return (
    <Alert color="yellow" role="status" title={title}>
      {check}
      <List size="sm" mt={4}>
        <List.Item>{doctor(<Code>sudo bellhop-agent doctor</Code>)}</List.Item>
        <List.Item>{log(<Code>journalctl -u bellhop-agent</Code>)}</List.Item>
        <List.Item>{network(location.host)}</List.Item>
      </List>
    </Alert>
  );
}
