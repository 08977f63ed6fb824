import { Badge } from "@mantine/core";
import type { FeedState } from "../api/execution-feed.ts";
import { states } from "../strings/en/shell.ts";

const COLORS = { connecting: "gray", live: "teal", lost: "yellow" } as const satisfies Record<FeedState, string>;

/** Whether the page receives changes live. */
export function LiveBadge({ state }: { state: FeedState }) {
  return (
    <Badge variant="light" color={COLORS[state]} radius="sm" tt="none" role="status">
      {states.live[state]}
    </Badge>
  );
}
