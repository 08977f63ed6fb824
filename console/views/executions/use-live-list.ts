import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { callPage } from "../../api/client.ts";
import { useExecutionFeed } from "../../api/live.ts";
import type { Page } from "../../api/operations.ts";
import { NOTHING_REPORTED, leaveOut, release, rowsOf, takeIn } from "./live-list.ts";
import type { ListFilter } from "./live-list.ts";

const PATH = "/api/v1/automation/executions";
const READ_EVERY_MS = 5_000;
/** While a row waits: a job gets its agent without a report. */
const WAITING_EVERY_MS = 15_000;
/** A dead connection must not show an old state for minutes. */
const CHECK_EVERY_MS = 60_000;
/** A list with more loaded pages starts again at the newest page after a gap. */
const PAGES_READ_MAX = 10;
/** Bounds a list that is left open for days. */
const SHOWN_MAX = 300;

/**
 * The live list of executions. Changes show in their rows immediately, new executions above them. While `isReading`,
 * new ones are only counted, so that the rows do not move. Remount the component for another filter.
 */
export function useLiveList(filter: ListFilter, isReading: () => boolean) {
  const { workflowId, status, trigger, from, to } = filter;
  const input = {
    query: {
      workflowId: workflowId ?? undefined,
      status: status ?? undefined,
      trigger: trigger ?? undefined,
      from: from ?? undefined,
      to: to ?? undefined,
    },
  };
  const queries = useQueryClient();
  const queryKey = [PATH, "live", input];
  const [live, setLive] = useState(NOTHING_REPORTED);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ signal, pageParam }) => callPage(PATH, input, pageParam, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.nextCursor,
    // Changes come from the feed. An automatic refetch would move the rows.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // A person who comes back does not see the old list first.
    gcTime: 0,
  });
  const listed = list.data?.pages.flatMap(({ items }) => items);
  const take = (reported: readonly ExecutionSummary[], adds = true) => {
    if (listed === undefined) return;
    const hold = isReading();
    setLive((before) => takeIn(before, reported, listed, { filter, hold, whole: !list.hasNextPage, adds }));
  };
  const reading = useRef(false);
  // What is still to be read: `all`, when changes below the newest page may have been missed; `newest`, when a step of a
  // running execution may have begun or ceased to wait.
  const [due, setDue] = useState<"all" | "newest" | null>(null);
  /** Starts again with the newest page, when too much has changed to update the rows. */
  const startAgain = async () => {
    setLive(NOTHING_REPORTED);
    queries.setQueryData<typeof list.data>(queryKey, (data) =>
      data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    await list.refetch();
  };
  /** Reads the newest page again, or all shown pages: a missed change can be in any of them. */
  const readAgain = async (all: boolean) => {
    if (listed === undefined) return;
    if (all) setDue("all");
    if (reading.current) return;
    reading.current = true;
    // Before the read: it may miss a change that is reported from now on.
    if (!all) setDue((now) => (now === "newest" ? null : now));
    try {
      const before = rowsOf(listed, live);
      const read: ExecutionSummary[] = [];
      let cursor: string | null = null;
      let pagesLeft = all ? PAGES_READ_MAX : 1;
      do {
        const page: Page<ExecutionSummary> = await callPage(PATH, input, cursor);
        read.push(...page.items);
        cursor = page.nextCursor;
        pagesLeft -= 1;
      } while (cursor !== null && pagesLeft > 0 && reachesBeyond(before, read));
      const isWhole = cursor === null;
      if (!isWhole && reachesBeyond(before, read) && (all || !overlaps(before, read))) await startAgain();
      else {
        take(read);
        const downTo = isWhole ? null : (read.at(-1)?.id ?? null);
        setLive((now) => leaveOut(now, before, read, { filter, downTo }));
      }
      if (all) setDue(null);
    } catch {
      // The read is repeated while it is due, and the feed's state shows that updates are missing.
    } finally {
      reading.current = false;
    }
  };
  const feed = useExecutionFeed(
    { workflowId: workflowId ?? undefined },
    ({ reread, executions }) => {
      // The feed does not say whether a step waits: the list is read again soon.
      take(executions, status !== "waiting");
      if (status === "waiting") setDue("all");
      else if (executions.some((one) => one.status === "running")) setDue((now) => now ?? "newest");
      if (reread) void readAgain(true);
      else if (live.shown.size > SHOWN_MAX && !isReading()) void startAgain();
    },
    { enabled: listed !== undefined },
  );
  const again = useEffectEvent(() => {
    if (document.visibilityState === "visible") void readAgain(due === "all");
  });
  const rows = listed === undefined ? undefined : rowsOf(listed, live);
  const hasWaiting = rows?.some(({ isWaiting }) => isWaiting) ?? false;
  const calmMs = hasWaiting ? WAITING_EVERY_MS : CHECK_EVERY_MS;
  const everyMs = feed === "lost" || due !== null ? READ_EVERY_MS : calmMs;
  useEffect(() => {
    const timer = setInterval(() => again(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return {
    list,
    feed,
    rows,
    held: live.held.size,
    showHeld: () => setLive(release),
  };
}

/** Whether the rows go further back than the read. */
function reachesBeyond(rows: readonly ExecutionSummary[], read: readonly ExecutionSummary[]): boolean {
  const [last, oldest] = [read.at(-1), rows.at(-1)];
  return last !== undefined && oldest !== undefined && last.id > oldest.id;
}

function overlaps(rows: readonly ExecutionSummary[], read: readonly ExecutionSummary[]): boolean {
  const ids = new Set(rows.map(({ id }) => id));
  return read.some(({ id }) => ids.has(id));
}
