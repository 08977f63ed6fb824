import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useExecutionFeed } from "../../api/live.ts";
import { OVERVIEW } from "../../api/overview.ts";
import { PacedReads } from "../../api/paced-reads.ts";
import { useRead } from "../../api/queries.ts";

/** Incidents, agents and queues do not report their changes. */
const EVERY_MS = 30_000;

/** The overview, read again when executions change and every half minute: at most five times a minute. */
export function useLiveOverview() {
  const queries = useQueryClient();
  const read = useRead(OVERVIEW, {}, { everyMs: EVERY_MS });
  const [reads] = useState(() => new PacedReads(() => void queries.invalidateQueries({ queryKey: [OVERVIEW] })));
  useEffect(() => () => reads.stop(), [reads]);
  const feed = useExecutionFeed({}, () => reads.request());
  return { read, feed };
}
