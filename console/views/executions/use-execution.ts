import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { call } from "../../api/client.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { useOnline } from "../../api/use-online.ts";
import { whileLookedAt } from "../../api/while-looked-at.ts";
import { ExecutionStream } from "./execution-stream.ts";
import { laterOf, mergeChanges } from "./merge-events.ts";
import type { ExecutionChange } from "./merge-events.ts";
import { isReportDue } from "./run-status.ts";

const PATH = "/api/v1/automation/executions/{id}";
/** How often the execution is read while the stream fails. */
const READ_EVERY_MS = 4_000;
/** A dead connection must not show an old state for minutes. A large execution is read less often. */
const CHECK_EVERY_MS = 30_000;
const CHECK_MS_PER_RUN = 100;
/** Reports about cancelled jobs are in no event. An agent that is away may send its report much later. */
const REPORT_EVERY_MS = 1_000;
const REPORT_WITHIN_MS = 60_000;

export type Following = "connecting" | "live" | "lost" | "ended";

export function executionKey(id: string) {
  return [PATH, { path: { id } }] as const;
}

/** One execution, live while it runs: from its stream, or by polling when the stream fails. */
export function useExecution(id: string) {
  const queries = useQueryClient();
  const isOnline = useOnline();
  const [state, setState] = useState<Following>("connecting");
  // The changes that were reported since the last read began.
  const reported = useRef<ExecutionChange[]>([]);
  const read = useQuery<ExecutionView>({
    queryKey: executionKey(id),
    queryFn: async ({ signal }) => {
      const since: ExecutionChange[] = [];
      reported.current = since;
      const answer = await call("GET", PATH, { path: { id } }, { signal });
      return laterOf(queries.getQueryData<ExecutionView>(executionKey(id)), answer, since);
    },
    refetchInterval: ({ state: { data } }) => {
      if (data === undefined) return false;
      if (data.status !== "running") return awaitsReport(data) ? REPORT_EVERY_MS : false;
      return state === "lost" ? READ_EVERY_MS : Math.max(CHECK_EVERY_MS, data.nodeRuns.length * CHECK_MS_PER_RUN);
    },
  });
  const running = read.data?.status === "running";
  useEffect(() => {
    if (!running) return undefined;
    const stream = new ExecutionStream(
      id,
      {
        onChanges: (changes) => {
          if (queries.isFetching({ queryKey: executionKey(id) }) > 0) reported.current.push(...changes);
          queries.setQueryData<ExecutionView>(
            executionKey(id),
            (known) => mergeChanges(known ?? null, changes) ?? known,
          );
        },
        onState: setState,
        // Reports of agents after the execution's end are in no event.
        onEnd: () => void queries.invalidateQueries({ queryKey: executionKey(id) }),
      },
      (address) => new EventSource(address),
    );
    const leave = whileLookedAt(stream);
    return () => {
      leave();
      setState("connecting");
    };
  }, [id, running, queries]);
  const followed = isOnline ? state : "lost";
  const following: Following = read.data === undefined || running ? followed : "ended";
  return { read, following };
}

function awaitsReport({ finishedAt, nodeRuns }: ExecutionView): boolean {
  return finishedAt !== null && serviceNow() - Date.parse(finishedAt) < REPORT_WITHIN_MS && nodeRuns.some(isReportDue);
}
