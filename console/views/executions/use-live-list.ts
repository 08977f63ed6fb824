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
/** A connection that has died unnoticed must not keep an old picture for minutes. */
const CHECK_EVERY_MS = 60_000;
/** Whoever has loaded more than this begins anew after a gap. */
const PAGES_READ_MAX = 10;
/** A list that is left open for days does not grow for ever. */
const SHOWN_MAX = 300;

/**
 * The list of executions, live: changes show in their rows at once, and new ones above them, unless `isReading` says that
 * somebody reads who would lose the line; then they are counted until they are asked for. Mount it anew for other filters.
 */
export function useLiveList(filter: ListFilter, isReading: () => boolean) {
  const { workflowId, status, from, to } = filter;
  const input = {
    query: {
      workflowId: workflowId ?? undefined,
      status: status ?? undefined,
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
    // What happens is told; a page that is read again by itself would jump.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Nor is an old picture shown first to somebody who comes back.
    gcTime: 0,
  });
  const listed = list.data?.pages.flatMap(({ items }) => items);
  const take = (told: readonly ExecutionSummary[]) => {
    if (listed === undefined) return;
    const hold = isReading();
    setLive((before) => takeIn(before, told, listed, { filter, hold, whole: !list.hasNextPage }));
  };
  const reading = useRef(false);
  // What may have been missed below the newest is still to be read.
  const [owed, setOwed] = useState(false);
  /** Begins anew with the newest page: too much has happened for what is shown to be brought up to date. */
  const beginAgain = async () => {
    setLive(NOTHING_REPORTED);
    queries.setQueryData<typeof list.data>(queryKey, (data) =>
      data === undefined ? data : { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
    );
    await list.refetch();
  };
  /** Reads the newest again, or all that is shown: what was not told stands further down, too. */
  const readAgain = async (all: boolean) => {
    if (listed === undefined) return;
    if (all) setOwed(true);
    if (reading.current) return;
    reading.current = true;
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
      if (!isWhole && reachesBeyond(before, read) && (all || !overlaps(before, read))) await beginAgain();
      else {
        take(read);
        const downTo = isWhole ? null : (read.at(-1)?.id ?? null);
        setLive((now) => leaveOut(now, before, read, { filter, downTo }));
      }
      if (all) setOwed(false);
    } catch {
      // What is owed is tried again; that nothing is told, the feed says.
    } finally {
      reading.current = false;
    }
  };
  const feed = useExecutionFeed(
    { workflowId: workflowId ?? undefined },
    ({ reread, executions }) => {
      take(executions);
      if (reread) void readAgain(true);
      else if (live.shown.size > SHOWN_MAX && !isReading()) void beginAgain();
    },
    { enabled: listed !== undefined },
  );
  const again = useEffectEvent(() => {
    if (document.visibilityState === "visible") void readAgain(owed);
  });
  const everyMs = feed === "lost" || owed ? READ_EVERY_MS : CHECK_EVERY_MS;
  useEffect(() => {
    const timer = setInterval(() => again(), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return {
    list,
    feed,
    rows: listed === undefined ? undefined : rowsOf(listed, live),
    held: live.held.size,
    showHeld: () => setLive(release),
  };
}

/** Whether rows go further back than what was read. */
function reachesBeyond(rows: readonly ExecutionSummary[], read: readonly ExecutionSummary[]): boolean {
  const [last, oldest] = [read.at(-1), rows.at(-1)];
  return last !== undefined && oldest !== undefined && last.id > oldest.id;
}

function overlaps(rows: readonly ExecutionSummary[], read: readonly ExecutionSummary[]): boolean {
  const ids = new Set(rows.map(({ id }) => id));
  return read.some(({ id }) => ids.has(id));
}
