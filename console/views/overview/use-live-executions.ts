import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { FeedState } from "../../api/execution-feed.ts";
import { useExecutionFeed } from "../../api/live.ts";
import { useRead } from "../../api/queries.ts";
import { useNow } from "../../ui/time.tsx";
import { newest, remember } from "./newest.ts";
import type { Known } from "./newest.ts";

const PATH = "/api/v1/automation/executions";
const WORKFLOWS = "/api/v1/automation/workflows";
const DAY_MS = 24 * 60 * 60_000;
/** More than are shown: others take the place of executions that end, and one workflow does not hide the others. */
const READ = 100;
/** The fallback while the stream does not report changes. */
const EVERY_MS = 30_000;

/** The running executions and those that failed in the last day, kept up to date. */
export function useLiveExecutions() {
  const queries = useQueryClient();
  const [known, setKnown] = useState<Known>(new Map());
  const since = new Date(useNow(60_000) - DAY_MS).toISOString();
  const running = useRead(PATH, { query: { status: "running", limit: READ } }, { everyMs: EVERY_MS });
  // No `from` filter: it compares the start, and an execution that waited for days may have failed an hour ago.
  const failed = useRead(PATH, { query: { status: "failed", limit: READ } }, { everyMs: EVERY_MS });
  const feed: FeedState = useExecutionFeed({}, ({ reread, executions }) => {
    if (executions.length > 0) setKnown((before) => remember(before, executions));
    if (reread) void queries.invalidateQueries({ queryKey: [PATH] });
    // The fifth failure in a row of a schedule switches it off.
    const mayDisable = executions.some(({ status, trigger }) => status === "failed" && trigger.type === "cron");
    if (mayDisable) void queries.invalidateQueries({ queryKey: [WORKFLOWS] });
  });
  return { feed, running: shown(running, known, "running"), failed: shown(failed, known, "failed", since) };
}

type ListRead = ReturnType<typeof useRead<typeof PATH>>;

function shown(read: ListRead, known: Known, status: "running" | "failed", since = "") {
  const { data, error, refetch } = read;
  const page =
    data === undefined ? undefined : { items: newest(data.items, known, status, since), isWhole: reaches(data, since) };
  return { data: page, error, refetch };
}

/** Whether a page has every execution, or at least every execution that started since then. */
function reaches({ items, nextCursor }: NonNullable<ListRead["data"]>, since: string): boolean {
  return nextCursor === null || items.some(({ startedAt }) => startedAt < since);
}
