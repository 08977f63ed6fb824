import { Stack, Text } from "@mantine/core";
import { useLocation, useSearch } from "wouter";
import { useList } from "../../../api/queries.ts";
import { LoadMore } from "../../../ui/load-more.tsx";
import { EmptyState, ReadState } from "../../../ui/states.tsx";
import { AuditSearch } from "./audit-search.tsx";
import { AuditTable } from "./audit-table.tsx";
import { filtersOf, searchOf } from "./filters.ts";
import type { AuditFilters } from "./filters.ts";

/** The audit log, newest first. The search is in the URL, so a person can share it. */
export default function Audit() {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const filters = filtersOf(search);
  const entries = useList("/api/v1/automation/audit", { query: filters });
  const show = (next: AuditFilters) => navigate(`${path}${searchOf(next)}`);
  const isSearch = searchOf(filters) !== "";
  return (
    <Stack gap="md">
      {/* The key resets the fields when the URL's search changes. */}
      <AuditSearch key={searchOf(filters)} filters={filters} show={show} />
      <ReadState read={{ ...entries, data: entries.items }}>
        {(items) =>
          items.length === 0 ? (
            <EmptyState title={isSearch ? "Nothing matches" : "No entries yet"}>
              {isSearch
                ? "Each filter matches whole words and ids. Remove a filter, or widen the time range."
                : "Every change by a person or a token appears here, and every sign-in."}
            </EmptyState>
          ) : (
            <>
              <Text size="sm" c="dimmed" role="status">
                {items.length} {items.length === 1 ? "entry" : "entries"}
                {entries.hasNextPage ? ", and there are more" : ""}, newest first
              </Text>
              <AuditTable entries={items} narrow={(some) => show({ ...filters, ...some })} />
              <LoadMore list={entries} />
            </>
          )
        }
      </ReadState>
    </Stack>
  );
}
