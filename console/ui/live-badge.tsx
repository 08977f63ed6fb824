import { Badge } from "@mantine/core";
import type { FeedState } from "../api/execution-feed.ts";

const SHOWN = {
  connecting: { color: "gray", label: "Connecting" },
  live: { color: "teal", label: "Live" },
  lost: { color: "yellow", label: "Reconnecting" },
} as const;

/** Whether the page receives changes live. */
export function LiveBadge({ state }: { state: FeedState }) {
  const { color, label } = SHOWN[state];
  return (
    <Badge variant="light" color={color} radius="sm" tt="none" role="status">
      {label}
    </Badge>
  );
}
