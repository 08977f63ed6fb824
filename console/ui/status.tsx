import { Badge } from "@mantine/core";
import type { MantineColor } from "@mantine/core";
import type { CredentialStatus } from "../../schema/contract/credential.ts";
import type { ExecutionStatus, JobStatus, NodeRunStatus } from "../../schema/contract/execution.ts";
import type { AgentStatus } from "../../schema/contract/management.ts";
import { states } from "../strings/en/shell.ts";

type Status = ExecutionStatus | NodeRunStatus | JobStatus | AgentStatus | CredentialStatus;

/** One colour per meaning: green succeeded, red failed, blue is in progress, yellow needs attention, grey is idle. */
export const STATUS_COLORS = {
  pending: "gray",
  queued: "gray",
  waiting: "yellow",
  assigned: "blue",
  delivered: "blue",
  running: "blue",
  succeeded: "teal",
  failed: "red",
  timed_out: "red",
  skipped: "gray",
  cancelled: "gray",
  Online: "teal",
  Degraded: "yellow",
  Offline: "red",
  expired: "red",
} as const satisfies Record<Status, MantineColor>;

const LABELS: Partial<Record<Status, string>> = { timed_out: states.timedOut };

/** A status as text and colour, never as colour alone. */
export function StatusBadge({ status, color, label }: { status: Status; color?: MantineColor; label?: string }) {
  return (
    <Badge color={color ?? STATUS_COLORS[status]} variant="light" radius="sm" tt="none">
      {label ?? LABELS[status] ?? status}
    </Badge>
  );
}
