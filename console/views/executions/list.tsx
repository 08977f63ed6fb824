import { Alert, Anchor, Button, Center, Stack } from "@mantine/core";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { messageOf } from "../../api/problem.ts";
import { serviceNow } from "../../api/service-clock.ts";
import { LiveBadge } from "../../ui/live-badge.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { ExecutionTable } from "./execution-table.tsx";
import { Filters } from "./filters.tsx";
import { changeFilter, countFilters, filterAt, readFilter } from "./list-filter.ts";
import type { ChosenFilter } from "./list-filter.ts";
import { useLiveList } from "./use-live-list.ts";
import { common } from "../../strings/en/common.ts";
import { executions as text } from "../../strings/en/executions.ts";

/** After scrolling this far the first rows are out of sight: the person reads others. */
const AT_THE_TOP_PX = 120;
/** Older rows are loaded before they come into view. */
const NEAR_PX = 800;

export default function View() {
  const [query, setQuery] = useSearchParams();
  const filter = readFilter(query);
  return (
    <Page title={common.executions} description={text.list.description} wide>
      <Filters
        filter={filter}
        onChange={(change) => setQuery((before) => changeFilter(before, change), { replace: true })}
      />
      <LiveTable key={JSON.stringify(filter)} filter={filter} />
    </Page>
  );
}

function LiveTable({ filter: chosen }: { filter: ChosenFilter }) {
  const [filter] = useState(() => filterAt(chosen, serviceNow()));
  const box = useRef<HTMLDivElement>(null);
  const isReading = () => window.scrollY > AT_THE_TOP_PX || (box.current?.matches(":hover, :focus-within") ?? false);
  const { list, rows, feed, held, showHeld } = useLiveList(filter, isReading);
  return (
    <ReadState read={{ data: rows, error: list.isFetchNextPageError ? null : list.error, refetch: list.refetch }}>
      {(rows) => (
        <Stack gap="xs">
          {feed === "lost" ? (
            <Alert color="yellow" p="xs" role="status">
              {text.list.lost}
            </Alert>
          ) : null}
          <LiveBadge state={feed} />
          <div role="status">
            {held === 0 ? null : (
              <Button
                size="xs"
                variant="light"
                fullWidth
                onClick={() => {
                  showHeld();
                  window.scrollTo({ top: 0 });
                }}
              >
                {text.list.showNew(held)}
              </Button>
            )}
          </div>
          <div ref={box}>{rows.length === 0 ? <NoRows filter={chosen} /> : <ExecutionTable rows={rows} />}</div>
          {list.isFetchNextPageError ? (
            <Alert color="red" role="alert" title={text.list.notLoaded}>
              {messageOf(list.error)}
            </Alert>
          ) : null}
          {list.hasNextPage ? <Older list={list} /> : null}
        </Stack>
      )}
    </ReadState>
  );
}

/** Loads older rows when the end of the list comes near, or by a button: after a failure, only by that. */
function Older({ list }: { list: ReturnType<typeof useLiveList>["list"] }) {
  const end = useRef<HTMLDivElement>(null);
  const load = useEffectEvent(() => {
    if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
  });
  const pages = list.data?.pages.length;
  const { isFetchingNextPage } = list;
  useEffect(() => {
    // A busy page gets several changes at once: the last one is how it is now.
    const near = new IntersectionObserver((changes) => changes.at(-1)?.isIntersecting === true && load(), {
      rootMargin: `0px 0px ${NEAR_PX}px`,
    });
    if (end.current !== null) near.observe(end.current);
    return () => near.disconnect();
    // After each page the end may still be near, and after an interrupted load, too.
  }, [pages, isFetchingNextPage]);
  return (
    <Center ref={end}>
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {text.list.loadMore}
      </Button>
    </Center>
  );
}

function NoRows({ filter }: { filter: ChosenFilter }) {
  if (countFilters(filter) > 0) {
    return <EmptyState title={text.list.noMatch.title}>{text.list.noMatch.next}</EmptyState>;
  }
  return (
    <EmptyState title={text.list.none.title}>
      {text.list.none.next(
        <Anchor component={Link} href="/workflows" inherit underline="always">
          {text.list.none.workflows}
        </Anchor>,
      )}
    </EmptyState>
  );
}
