import { Anchor, Code, Group, Stack, Text } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "wouter";
import type { AgentView } from "../../../schema/contract/management.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";
import { ChangeHistory } from "../../ui/change-history.tsx";
import { Copy } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { Panel } from "../../ui/panel.tsx";
import { TimeInFull } from "../../ui/time.tsx";
import { VerifiedHint } from "../connections/credential/verified-hint.tsx";
import { IsolationBadge } from "./agent-badges.tsx";

const text = agents.facts;

/** The agent's record, and the details that it reported when it registered. */
export function AgentFacts({ agent }: { agent: AgentView }) {
  const { registration } = agent;
  const pool =
    agent.poolId === null ? (
      text.noPool
    ) : (
      <Anchor component={Link} href={`/pools/${agent.poolId}`} size="sm">
        {agent.poolId}
      </Anchor>
    );
  return (
    <Panel title={common.details}>
      <Facts
        facts={[
          [common.pool, pool],
          [agents.fields.lastHeartbeat, <TimeInFull key="at" at={agent.lastHeartbeatAt} />],
          ...(registration === null
            ? []
            : ([
                [text.machine, registration.name],
                [agents.fields.system, `${registration.os} ${registration.arch}`],
                [agents.fields.version, registration.version],
                [text.registered, <TimeInFull key="at" at={registration.registeredAt} />],
                [text.concurrentJobs, text.upTo(registration.maxConcurrentJobs)],
                [text.pollInterval, text.every(registration.pollIntervalSeconds)],
                [text.capabilities, registration.capabilities.join(", ")],
                [text.actions, registration.actions?.join(", ") ?? text.firstActions],
                [text.features, registration.features?.join(", ") || text.noFeatures],
                [text.isolation, <IsolationOfJobs key="isolation" registration={registration} />],
                [text.fingerprint, <Fingerprint key="fingerprint" value={registration.fingerprint} verified={agent} />],
              ] as const)),
          [
            common.created,
            <Fragment key="at">
              <TimeInFull at={agent.createdAt} />
              <ChangeHistory id={agent.id} />
            </Fragment>,
          ],
          [common.id, <IdOf key="id" id={agent.id} />],
        ]}
      />
    </Panel>
  );
}

function IsolationOfJobs({ registration }: { registration: NonNullable<AgentView["registration"]> }) {
  const { isolation, isolationReason } = registration;
  if (isolation === undefined) return text.unknownIsolation;
  return (
    <Stack gap={4} align="flex-start">
      <IsolationBadge isolation={isolation} />
      <Text size="sm">{agents.isolation[isolation].description}</Text>
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
        <Copy value={value} label={text.copyFingerprint} />
      </Group>
      <VerifiedHint {...verified} />
      <Text size="xs" c="dimmed">
        {text.fingerprintIs(<code>bellhop-agent doctor</code>)}
      </Text>
    </>
  );
}

function IdOf({ id }: { id: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Code>{id}</Code>
      <Copy value={id} label={common.copyId} />
    </Group>
  );
}
