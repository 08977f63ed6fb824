import { Badge } from "@mantine/core";
import type { FeedState } from "../../api/execution-feed.ts";

const SHOWN = {
  connecting: { color: "gray", words: "Connecting" },
  live: { color: "teal", words: "Live" },
  lost: { color: "yellow", words: "Not live: trying again" },
} as const;

/** Whether changes are told as they happen. */
export function LiveBadge({ state }: { state: FeedState }) {
  const { color, words } = SHOWN[state];
  return (
    <Badge variant="light" color={color} radius="sm" tt="none" role="status">
      {words}
    </Badge>
  );
}
