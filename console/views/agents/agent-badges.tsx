import { Badge, Group, Progress, Text } from "@mantine/core";
import type { MantineColor } from "@mantine/core";
import type { Isolation } from "../../../schema/contract/agent.ts";
import type { AgentStatus } from "../../../schema/contract/management.ts";
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
          Never started
        </Badge>
      ) : enabled ? (
        <StatusBadge status={status} />
      ) : null}
      {draining && status !== "Offline" ? (
        <Badge color="orange" variant="light" radius="sm" tt="none">
          Shutting down
        </Badge>
      ) : null}
      {enabled ? null : (
        <Badge color="orange" variant="light" radius="sm" tt="none">
          Disabled
        </Badge>
      )}
    </Group>
  );
}

/** How jobs are separated from the agent. `none` is worth attention, but it is not a fault. */
export const ISOLATION = {
  perJob: { label: "Per job", color: "teal", description: "Every job runs as a separate account." },
  account: { label: "Account", color: "teal", description: "Jobs run under a different account than the agent." },
  none: {
    label: "None",
    color: "yellow",
    description:
      "Scripts run as the agent's account and can reach its files. To separate them on Linux, install the agent as a service (bellhop-agent service install) or run it in a container. The agent of npm start always runs this way.",
  },
} as const satisfies Record<Isolation, { label: string; color: MantineColor; description: string }>;

/** An older agent does not report its isolation and has no badge. */
export function IsolationBadge({ isolation }: { isolation: Isolation | undefined }) {
  if (isolation === undefined) return null;
  const { label, color } = ISOLATION[isolation];
  return (
    <Badge color={color} variant="light" radius="sm" tt="none">
      {label}
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
