import { Badge, Group, Progress, Text } from "@mantine/core";
import type { MantineColor } from "@mantine/core";
import type { Isolation } from "../../../schema/contract/agent.ts";
import type { AgentStatus } from "../../../schema/contract/management.ts";
import { agents as text } from "../../strings/en/agents.ts";
import { StatusBadge } from "../../ui/status.tsx";

interface AgentBadgesProps {
  status: AgentStatus;
  enabled: boolean;
  draining?: boolean | undefined;
  /** The agent has never called. That is not an outage. */
  isNew?: boolean;
}

/** An agent's status, and whether it is disabled. A disabled agent shows no other status. */
export function AgentBadges({ status, enabled, draining = false, isNew = false }: AgentBadgesProps) {
  return (
    <Group gap={4} wrap="nowrap" w="max-content">
      {isNew ? (
        <Badge color="gray" variant="light" radius="sm" tt="none">
          {text.neverStarted}
        </Badge>
      ) : enabled ? (
        <StatusBadge status={status} />
      ) : null}
      {draining && status !== "Offline" ? (
        <Badge color="orange" variant="light" radius="sm" tt="none">
          {text.shuttingDown}
        </Badge>
      ) : null}
      {enabled ? null : (
        <Badge color="orange" variant="light" radius="sm" tt="none">
          {text.disabled}
        </Badge>
      )}
    </Group>
  );
}

/** How jobs are separated from the agent. `none` is worth attention, but it is not a fault. */
const ISOLATION_COLORS = { perJob: "teal", account: "teal", none: "yellow" } as const satisfies Record<
  Isolation,
  MantineColor
>;

/** An older agent does not report its isolation and has no badge. */
export function IsolationBadge({ isolation }: { isolation: Isolation | undefined }) {
  if (isolation === undefined) return null;
  return (
    <Badge color={ISOLATION_COLORS[isolation]} variant="light" radius="sm" tt="none">
      {text.isolation[isolation].label}
    </Badge>
  );
}

/** A score as a number with a bar. Null: an agent that has never started has no score. */
export function HealthBar({ score, of = 100 }: { score: number | null; of?: number }) {
  if (score === null) return <>–</>;
  const share = (score / of) * 100;
  const color = share >= 80 ? "teal" : share >= 50 ? "yellow" : "red";
  return (
    <Group gap={6} wrap="nowrap">
      <Text component="span" size="sm" miw={26} ta="right" style={{ whiteSpace: "nowrap" }}>
        {Math.round(score)}
      </Text>
      <Progress.Root w={64} size="sm" aria-hidden>
        <Progress.Section value={share} color={color} />
      </Progress.Root>
    </Group>
  );
}
