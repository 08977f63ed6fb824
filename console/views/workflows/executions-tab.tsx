import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import { useList } from "../../api/queries.ts";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import type { WorkflowView } from "../../../schema/contract/management.ts";
import { common } from "../../strings/en/common.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { EmptyState, ReadState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";
import { KEY, hasKeys } from "../executions/execution-table.tsx";
import { shownStatus } from "../executions/run-status.ts";
import { StartedByView } from "../executions/started-by-view.tsx";

const text = workflows.executions;
const SHOWN = 20;
const EVERY_MS = 5_000;

const COLUMNS: readonly Column<ExecutionSummary>[] = [
  { name: common.status, onCard: "beside", cell: (run) => <StatusBadge status={shownStatus(run, run.isWaiting)} /> },
  {
    name: text.started,
    onCard: "title",
    cell: (execution) => (
      <Anchor component={Link} href={pageOf(execution)} size="sm">
        <TimeAgo at={execution.startedAt} />
      </Anchor>
    ),
  },
  KEY,
  { name: text.took, cell: ({ startedAt, finishedAt }) => <Elapsed from={startedAt} to={finishedAt} /> },
  { name: text.startedBy, isLong: true, cell: (execution) => <StartedByView execution={execution} /> },
  {
    name: text.error,
    isLong: true,
    onCard: "below",
    cell: ({ error }) =>
      error === null ? null : (
        <Text size="sm" lineClamp={2} title={error.message}>
          {error.message}
        </Text>
      ),
  },
];
const COLUMNS_WITHOUT_KEY = COLUMNS.filter((column) => column !== KEY);

/** The last executions of this workflow, with a link to the page with all of them. */
export function ExecutionsTab({ workflow }: { workflow: WorkflowView }) {
  const list = useList(
    "/api/v1/automation/executions",
    { query: { workflowId: workflow.id, limit: SHOWN } },
    { everyMs: EVERY_MS },
  );
  return (
    <ReadState read={{ data: list.items, error: list.error, refetch: list.refetch }}>
      {(executions) =>
        executions.length === 0 ? (
          <EmptyState title={text.none.title}>{text.none.help}</EmptyState>
        ) : (
          <Stack gap="sm">
            <ListTable
              label={text.label}
              rows={executions}
              columns={hasKeys(executions) ? COLUMNS : COLUMNS_WITHOUT_KEY}
              keyOf={({ id }) => id}
              hrefOf={pageOf}
            />
            <Anchor component={Link} href={`/executions?workflowId=${workflow.id}`} size="sm">
              {text.all}
            </Anchor>
          </Stack>
        )
      }
    </ReadState>
  );
}

function pageOf({ id }: ExecutionSummary): string {
  return `/executions/${id}`;
}
