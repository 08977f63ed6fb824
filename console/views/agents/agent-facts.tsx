import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { Copy } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Panel } from "../../ui/panel.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { VerifiedHint } from "../connections/credential/verified-hint.tsx";
import { ISOLATION, IsolationBadge } from "./agent-badges.tsx";

/** The agent's record, and the details that it reported when it registered. */
export function AgentFacts({ agent }: { agent: AgentView }) {
  const { registration } = agent;
  const pool =
    agent.poolId === null ? (
      "none: it gets the jobs of connections that name this agent"
    ) : (
      <Anchor component={Link} href={`/pools/${agent.poolId}`} size="sm">
        {agent.poolId}
      </Anchor>
    );
  return (
    <Panel title="Details">
      <Facts
        facts={[
          ["Pool", pool],
          ["Last heartbeat", <TimeInFull key="at" at={agent.lastHeartbeatAt} />],
          ...(registration === null
            ? []
            : ([
                ["Machine", registration.name],
                ["System", `${registration.os} ${registration.arch}`],
                ["Version", registration.version],
                ["Registered", <TimeInFull key="at" at={registration.registeredAt} />],
                ["Concurrent jobs", `up to ${registration.maxConcurrentJobs}`],
                ["Poll interval", `every ${registration.pollIntervalSeconds} s, and when the service wakes it`],
                ["Capabilities", registration.capabilities.join(", ")],
                ["Actions", registration.actions?.join(", ") ?? "those of the first release (older agent)"],
                ["Features", registration.features?.join(", ") || "none (older agent)"],
                ["Isolation of jobs", <IsolationOfJobs key="isolation" registration={registration} />],
                [
                  "Key fingerprint",
                  <Fingerprint key="fingerprint" value={registration.fingerprint} verified={agent} />,
                ],
              ] as const)),
          ["Created", <TimeInFull key="at" at={agent.createdAt} />],
          ["Id", <IdOf key="id" id={agent.id} />],
        ]}
      />
    </Panel>
  );
}

function IsolationOfJobs({ registration }: { registration: NonNullable<AgentView["registration"]> }) {
  const { isolation, isolationReason } = registration;
  if (isolation === undefined) return "unknown (older agent)";
  return (
    <Stack gap={4} align="flex-start">
      <IsolationBadge isolation={isolation} />
      <Text size="sm">{ISOLATION[isolation].description}</Text>
      {isolationReason === undefined ? null : (
        <Text size="xs" c="dimmed">
          {isolationReason}
        </Text>
      )}
    </Stack>
  );
}

function Fingerprint({ value, verified }: { value: string; verified: AgentView }) {
  return (
    <>
      <Group gap={4} wrap="nowrap">
        <Code>{value}</Code>
        <Copy value={value} label="Copy the fingerprint" />
      </Group>
      <VerifiedHint {...verified} />
      <Text size="xs" c="dimmed">
        Fingerprint of the public key that credentials are sealed to. <code>bellhop-agent doctor</code> on the
        agent&apos;s machine prints the same value.
      </Text>
    </>
  );
}

function IdOf({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code>{id}</Code>
      <Copy value={id} label="Copy the id" />
    </Group>
  );
}
