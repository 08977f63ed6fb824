import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { callMaybeLater } from "../../../api/client.ts";
import { useRead } from "../../../api/queries.ts";
import type { JobView } from "../../../../schema/contract/execution.ts";
import type { ConnectionTest, LastTest } from "../../../../schema/contract/management.ts";
import { outcomeOf } from "./outcome.ts";

/** Most tests end within this time. After it, the page says what the test waits for. */
const WAIT_SECONDS = 3;
const POLL_MS = 3_000;
const LAST_TEST = "/api/v1/automation/connections/{id}/test";
const LAST_EVERY_MS = 10_000;

/** The state of a connection's test. */
type TestState =
  | { phase: "asked"; startedAt: string }
  /** The test continues as a job. */
  | { phase: "later"; startedAt: string; jobId: string; waitingFor: string | null }
  | { phase: "ended"; outcome: ConnectionTest }
  | { phase: "refused"; error: unknown };

const keyOf = (connectionId: string) => ["connection-test", connectionId];

/**
 * Tests a connection, and shows its last test by any person. A running test is kept while the console is open: a
 * person who visits another page finds it on return.
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
  const last = useRead(LAST_TEST, { path: { id: connectionId } }, { everyMs: LAST_EVERY_MS }).data?.lastTest;
  const set = (next: TestState) => queries.setQueryData<TestState | null>(keyOf(connectionId), next);

  const begin = async (target: string) => {
    const startedAt = new Date().toISOString();
    set({ phase: "asked", startedAt });
    try {
      const { data, later } = await callMaybeLater("POST", LAST_TEST, {
        path: { id: connectionId },
        query: { waitSeconds: WAIT_SECONDS, ...(target === "" ? {} : { target }) },
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
    /** The test to show; null without one, undefined before the first read. */
    last: state?.phase === "ended" ? laterOf(state.outcome, last ?? null) : last,
    /** The job of the test; null before its first read. */
    job: current,
    jobError: later === null ? null : job.error,
    isRunning: state?.phase === "asked" || state?.phase === "later",
    /** `target`: the host to test; empty for the usual one. */
    begin: (target: string) => void begin(target),
  };
}

/** The service knows more about a test than its own answer to it, and the later tests of other people. */
function laterOf(own: ConnectionTest, last: LastTest | null): ConnectionTest | LastTest {
  return last !== null && last.testedAt >= own.testedAt ? last : own;
}

export type ConnectionTestState = ReturnType<typeof useConnectionTest>;
