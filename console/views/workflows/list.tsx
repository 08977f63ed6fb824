import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useCan } from "../../app/session.tsx";
import { Page } from "../../ui/page.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { isFiltering, passesFilter } from "./filter.ts";
import { ListFilters, useWorkflowFilter } from "./list-filters.tsx";
import { NewWorkflow } from "./new-workflow.tsx";
import { useWorkflows } from "./use-workflows.ts";
import { WorkflowTable } from "./workflow-table.tsx";
import { count } from "../../strings/format.ts";

/** More rows at a time would make the page slow. A filter finds the others. */
const SHOWN = 100;

/** Every workflow with its trigger, state and last execution. */
export default function WorkflowList() {
  const list = useWorkflows();
  const mayWrite = useCan("automation:write");
  return (
    <Page title="Workflows" actions={mayWrite ? <NewWorkflow /> : null}>
      <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
        {(workflows) => (workflows.length === 0 ? <NoWorkflows mayWrite={mayWrite} /> : <Filtered list={list} />)}
      </ReadState>
    </Page>
  );
}

function NoWorkflows({ mayWrite }: { mayWrite: boolean }) {
  return (
    <EmptyState title="No workflows yet" action={mayWrite ? <NewWorkflow /> : null}>
      A workflow is a trigger and the steps that follow it, such as a webhook that restarts a service, or a schedule
      that cleans up.{" "}
      {mayWrite
        ? "Create the first one, or import it from a file."
        : "Your role does not allow creating workflows: ask an editor."}
    </EmptyState>
  );
}

function Filtered({ list }: { list: ReturnType<typeof useWorkflows> }) {
  const [filter, change] = useWorkflowFilter();
  const [shown, setShown] = useState(SHOWN);
  const all = list.items ?? [];
  const found = all.filter((workflow) => passesFilter(workflow, filter));
  const rows = found.slice(0, shown);
  return (
    <Stack gap="sm">
      <ListFilters filter={filter} change={change} />
      {found.length === 0 ? (
        <EmptyState
          title="No workflow matches"
          action={
            <Button variant="default" onClick={() => change({ text: "", trigger: null, state: null })}>
              Show all
            </Button>
          }
        >
          {list.isWhole ? null : `Only the newest ${count(all.length, "workflow")} are loaded.`}
        </EmptyState>
      ) : (
        <WorkflowTable workflows={rows} />
      )}
      <Group gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {tally({ found: found.length, all: all.length, isWhole: list.isWhole, filtering: isFiltering(filter) })}
        </Text>
        {found.length > rows.length ? (
          <Button variant="default" size="xs" onClick={() => setShown(shown + SHOWN)}>
            Show {Math.min(SHOWN, found.length - rows.length)} more
          </Button>
        ) : null}
        {list.isWhole ? null : (
          <Button
            variant="default"
            size="xs"
            loading={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Load more
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function tally(of: { found: number; all: number; isWhole: boolean; filtering: boolean }): string {
  const among = of.filtering ? `${of.found.toLocaleString("en")} of ` : "";
  const label = `${among}${count(of.all, "workflow")}`;
  return of.isWhole ? label : `${label} loaded. There are more, which the filter does not search.`;
}
