import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { ExecutionFeed } from "./execution-feed.ts";
import type { FeedChange, FeedFilter, FeedState } from "./execution-feed.ts";
import { whileLookedAt } from "./while-looked-at.ts";

/**
 * Tells of executions that begin, change and end, while the component is there. The first word is to read again, as it
 * is after everything that may have been missed. Gives whether it is live at present.
 */
export function useExecutionFeed(
  { workflowId, status }: FeedFilter,
  onChange: (change: FeedChange) => void,
  { enabled = true }: { enabled?: boolean } = {},
): FeedState {
  const queries = useQueryClient();
  const [state, setState] = useState<FeedState>("connecting");
  const tell = useEffectEvent(onChange);
  useEffect(() => {
    if (!enabled) return undefined;
    const feed = new ExecutionFeed(
      { workflowId, status },
      {
        onChange: (change) => tell(change),
        onState: setState,
        onRefused: () => void queries.invalidateQueries({ queryKey: ["/api/v1/auth/me"] }),
      },
      (address) => new EventSource(address),
    );
    return whileLookedAt(feed);
  }, [workflowId, status, enabled, queries]);
  return state;
}
