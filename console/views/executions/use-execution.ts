import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { call } from "../../api/client.ts";
import { whileLookedAt } from "../../api/while-looked-at.ts";
import { ExecutionStream } from "./execution-stream.ts";
import { laterOf, mergeChanges } from "./merge-events.ts";
import type { ExecutionChange } from "./merge-events.ts";

const PATH = "/api/v1/automation/executions/{id}";
/** Where the stream fails, the execution is read this often instead. */
const READ_EVERY_MS = 4_000;
/** A connection that has died unnoticed must not keep an old picture for minutes; a large one is read less often. */
const CHECK_EVERY_MS = 30_000;
const CHECK_MS_PER_RUN = 100;

export type Following = "connecting" | "live" | "lost" | "ended";

export function executionKey(id: string) {
  return [PATH, { path: { id } }] as const;
}

/** One execution, live while it runs: by its stream, or by reading it again and again where that fails. */
export function useExecution(id: string) {
  const queries = useQueryClient();
  const [state, setState] = useState<Following>("connecting");
  // Since the last read began.
  const told = useRef<ExecutionChange[]>([]);
  const read = useQuery<ExecutionView>({
    queryKey: executionKey(id),
    queryFn: async ({ signal }) => {
      const since: ExecutionChange[] = [];
      told.current = since;
      const answer = await call("GET", PATH, { path: { id } }, { signal });
      return laterOf(queries.getQueryData<ExecutionView>(executionKey(id)), answer, since);
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.status !== "running") return false;
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
          if (queries.isFetching({ queryKey: executionKey(id) }) > 0) told.current.push(...changes);
          queries.setQueryData<ExecutionView>(
            executionKey(id),
            (known) => mergeChanges(known ?? null, changes) ?? known,
          );
        },
        onState: setState,
        // What its agents told after its end stands in no event.
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
  const following: Following = read.data === undefined || running ? state : "ended";
  return { read, following };
}
