import { Button, Group, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useLocation, useSearch } from "wouter";
import { useList } from "../../../api/queries.ts";
import { audit as text } from "../../../strings/en/audit.ts";
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
            <EmptyState title={isSearch ? text.noMatch.title : text.none.title}>
              {isSearch ? text.noMatch.help : text.none.help}
            </EmptyState>
          ) : (
            <>
              <Group justify="space-between" gap="xs">
                <Text size="sm" c="dimmed" role="status">
                  {text.shown(items.length, entries.hasNextPage)}
                </Text>
                <Button
                  component="a"
                  href={`/api/v1/automation/audit/export${searchOf(filters)}`}
                  download
                  variant="default"
                  size="xs"
                  leftSection={<IconDownload size={16} aria-hidden />}
                >
                  {text.export}
                </Button>
              </Group>
              <AuditTable entries={items} narrow={(some) => show({ ...filters, ...some })} />
              <LoadMore list={entries} />
            </>
          )
        }
      </ReadState>
    </Stack>
  );
}
