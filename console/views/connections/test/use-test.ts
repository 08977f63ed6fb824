import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { callMaybeLater } from "../../../api/client.ts";
import { useRead } from "../../../api/queries.ts";
import type { JobView } from "../../../../schema/contract/execution.ts";
import type { ConnectionTest } from "../../../../schema/contract/management.ts";
import { outcomeOf } from "./outcome.ts";

/** Most tests end within this time. After it, the page says what the test waits for. */
const WAIT_SECONDS = 3;
const POLL_MS = 3_000;

/** The state of a connection's test. */
type TestState =
  | { phase: "asked"; startedAt: string }
  /** The test continues as a job. */
  | { phase: "later"; startedAt: string; jobId: string; waitingFor: string | null }
  | { phase: "ended"; outcome: ConnectionTest }
  | { phase: "refused"; error: unknown };

const keyOf = (connectionId: string) => ["connection-test", connectionId];

/**
 * Tests a connection and keeps the state while the console is open: a person who visits another page finds the outcome,
 * or the running test, on return.
 */
export function useConnectionTest(connectionId: string) {
  const queries = useQueryClient();
  const state = useQuery<TestState | null>({
    queryKey: keyOf(connectionId),
    queryFn: () => null,
    enabled: false,
    initialData: null,
    staleTime: Infinity,
    gcTime: Infinity,
  }).data;
  const set = (next: TestState) => queries.setQueryData<TestState | null>(keyOf(connectionId), next);

  const begin = async () => {
    const startedAt = new Date().toISOString();
    set({ phase: "asked", startedAt });
    try {
      const { data, later } = await callMaybeLater("POST", "/api/v1/automation/connections/{id}/test", {
        path: { id: connectionId },
        query: { waitSeconds: WAIT_SECONDS },
      });
      set(later === null ? { phase: "ended", outcome: data } : { phase: "later", startedAt, ...later });
    } catch (error) {
      set({ phase: "refused", error });
    }
  };

  const later = state?.phase === "later" ? state : null;
  const jobId = later?.jobId;
  const job = useRead(
    "/api/v1/automation/jobs/{id}",
    { path: { id: jobId ?? "" } },
    { enabled: later !== null, everyMs: POLL_MS },
  );
  const seen = job.data;
  useEffect(() => {
    const outcome = seen === undefined || seen.id !== jobId ? null : outcomeOf(seen);
    if (outcome === null) return;
    const next: TestState = { phase: "ended", outcome };
    queries.setQueryData<TestState | null>(keyOf(connectionId), next);
  }, [seen, jobId, connectionId, queries]);

  const current: JobView | null = later === null ? null : (job.data ?? null);
  return {
    state,
    /** The job of the test; null before its first read. */
    job: current,
    jobError: later === null ? null : job.error,
    isRunning: state?.phase === "asked" || state?.phase === "later",
    begin: () => void begin(),
  };
}

export type ConnectionTestState = ReturnType<typeof useConnectionTest>;
