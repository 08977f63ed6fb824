import { Button, Group, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFileImport, IconPlus } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { useAll } from "../../api/use-all.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { NO_FILTER, isFiltering, passesFilter } from "./filter.ts";
import { ListFilters, useWorkflowFilter } from "./list-filters.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { WorkflowTable } from "./workflow-table.tsx";

const text = workflows.list;
const PAGE_SIZE = 200;
/** These pages load automatically, so that a search covers them. Further pages need a click. */
const PAGES_MAX = 5;
const EVERY_MS = 15_000;
/** Several pages are read less often: each is a request, with the graphs of its workflows. */
const EVERY_MS_OF_MANY = 60_000;
/** More rows at a time would make the page slow. A filter finds the others. */
const SHOWN = 100;

/** Every workflow with its trigger, state and last execution. */
export default function WorkflowList() {
  const list = useWorkflows();
  const mayWrite = useCan("automation:write");
  return (
    <Page title={common.workflows} actions={mayWrite ? <NewWorkflow /> : null}>
      <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
        {(items) => (items.length === 0 ? <NoWorkflows mayWrite={mayWrite} /> : <Filtered list={list} />)}
      </ReadState>
    </Page>
  );
}

function tagsOf(all: readonly WorkflowView[]): string[] {
  return [...new Set(all.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b));
}

function NoWorkflows({ mayWrite }: { mayWrite: boolean }) {
  return (
    <EmptyState title={text.none.title} action={mayWrite ? <NewWorkflow /> : null}>
      {text.none.what} {mayWrite ? text.none.mayWrite : text.none.mayNotWrite}
    </EmptyState>
  );
}

function Filtered({ list }: { list: ReturnType<typeof useWorkflows> }) {
  const [filter, change] = useWorkflowFilter();
  const [shown, setShown] = useState(SHOWN);
  const all = list.items ?? [];
  const found = all.filter((workflow) => passesFilter(workflow, filter));
  const rows = found.slice(0, shown);
  const tally = text.tally(isFiltering(filter) ? found.length : null, all.length);
  return (
    <Stack gap="sm">
      <ListFilters filter={filter} change={change} tags={tagsOf(all)} />
      {found.length === 0 ? (
        <EmptyState
          title={text.noMatch.title}
          action={
            <Button variant="default" onClick={() => change(NO_FILTER)}>
              {common.showAll}
            </Button>
          }
        >
          {list.isWhole ? null : text.noMatch.loaded(all.length)}
        </EmptyState>
      ) : (
        <WorkflowTable workflows={rows} />
      )}
      <Group gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {list.isWhole ? tally : text.tallyOfLoaded(tally)}
        </Text>
        {found.length > rows.length ? (
          <Button variant="default" size="xs" onClick={() => setShown(shown + SHOWN)}>
            {workflows.showMoreOf(Math.min(SHOWN, found.length - rows.length))}
          </Button>
        ) : null}
        {list.isWhole ? null : (
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {text.loadMore}
          </Button>
        )}
      </Group>
    </Stack>
  );
}

/** The buttons for a new workflow: an empty one, or an import from a file. */
function NewWorkflow() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconFileImport size={16} aria-hidden />} onClick={open}>
        {text.import}
      </Button>
      <Button component={Link} href="/workflows/new" leftSection={<IconPlus size={16} aria-hidden />}>
        {text.create}
      </Button>
      <ImportDialog opened={opened} onClose={close} />
    </Group>
  );
}

/** Every workflow up to a bound. `isWhole`: all workflows are loaded. */
function useWorkflows() {
  const [everyMs, setEveryMs] = useState(EVERY_MS);
  const options = { everyMs, pagesMax: PAGES_MAX };
  const list = useAll("/api/v1/automation/workflows", { query: { limit: PAGE_SIZE } }, options);
  const loaded = list.items?.length ?? 0;
  useEffect(() => setEveryMs(loaded > PAGE_SIZE ? EVERY_MS_OF_MANY : EVERY_MS), [loaded]);
  return list;
}
