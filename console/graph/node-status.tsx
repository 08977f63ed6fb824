import {
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClockExclamation,
  IconHourglass,
  IconPlayerPlay,
  IconPlayerSkipForward,
} from "@tabler/icons-react";
import type { Icon } from "@tabler/icons-react";
import type { NodeRunStatus } from "../../schema/contract/execution.ts";
import { graph as text } from "../strings/en/graph.ts";
import { STATUS_COLORS } from "../ui/status.tsx";
import { ink } from "./ink.ts";
import classes from "./node-look.module.css";

const ICONS: Record<NodeRunStatus, Icon> = {
  pending: IconCircleDashed,
  waiting: IconHourglass,
  running: IconPlayerPlay,
  succeeded: IconCircleCheck,
  failed: IconCircleX,
  timed_out: IconClockExclamation,
  skipped: IconPlayerSkipForward,
  cancelled: IconCircleMinus,
};

/** A node's status as icon, colour and text. */
export function NodeStatus({ status, count }: { status: NodeRunStatus; count?: number }) {
  return (
    <span className={classes["status"]} style={{ color: ink(STATUS_COLORS[status]) }}>
      <NodeStatusIcon status={status} />
      {count === undefined ? "" : `${count} `}
      {text.statuses[status]}
    </span>
  );
}

/** The icon of a status, for a place that has the word, too. */
export function NodeStatusIcon({ status }: { status: NodeRunStatus }) {
  const Icon = ICONS[status];
  return <Icon size={16} stroke={1.9} color={ink(STATUS_COLORS[status])} style={{ flex: "none" }} aria-hidden />;
}
