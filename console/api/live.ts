import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { ExecutionFeed } from "./execution-feed.ts";
import type { FeedChange, FeedFilter, FeedState } from "./execution-feed.ts";
import { useOnline } from "./use-online.ts";
import { whileLookedAt } from "./while-looked-at.ts";

/**
 * Reports executions that begin, change and end while the component is mounted. The first report, and every report
 * after a possible gap, has `reread`. Returns the state of the feed.
 */
export function useExecutionFeed(
  { workflowId, status }: FeedFilter,
  onChange: (change: FeedChange) => void,
  { enabled = true }: { enabled?: boolean } = {},
): FeedState {
  const queries = useQueryClient();
  const [state, setState] = useState<FeedState>("connecting");
  const isOnline = useOnline();
  const report = useEffectEvent(onChange);
  useEffect(() => {
    if (!enabled) return undefined;
    const feed = new ExecutionFeed(
      { workflowId, status },
      {
        onChange: (change) => report(change),
        onState: setState,
        onRefused: () => void queries.invalidateQueries({ queryKey: ["/api/v1/auth/me"] }),
      },
      (address) => new EventSource(address),
    );
    return whileLookedAt(feed);
  }, [workflowId, status, enabled, queries]);
  return isOnline ? state : "lost";
}
