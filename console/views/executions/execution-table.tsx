import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { ExecutionSummary } from "../../../schema/contract/execution.ts";
import { ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Elapsed, TimeAgo } from "../../ui/time.tsx";
import { shownStatus } from "./run-status.ts";
import { StartedByView } from "./started-by-view.tsx";
import { WorkflowName } from "./workflow-name.tsx";
import { common } from "../../strings/en/common.ts";
import { executions as text } from "../../strings/en/executions.ts";

/** What a run is about. Lists without any key leave it out. */
export const KEY: Column<ExecutionSummary> = {
  name: text.key,
  width: "12%",
  cell: ({ key }) =>
    key === undefined ? null : (
      <Text size="sm" truncate maw={200} title={key}>
        {key}
      </Text>
    ),
};

const COLUMNS: readonly Column<ExecutionSummary>[] = [
  {
    name: common.status,
    onCard: "beside",
    width: 120,
    cell: (run) => <StatusBadge status={shownStatus(run, run.isWaiting)} />,
  },
  {
    name: common.workflow,
    onCard: "title",
    width: "26%",
    cell: (execution) => (
      <Anchor component={Link} href={pageOf(execution)} fw={600} size="sm">
        <WorkflowName id={execution.workflowId} />
      </Anchor>
    ),
  },
  KEY,
  { name: text.startedBy, width: "18%", cell: (execution) => <StartedByView execution={execution} /> },
  { name: text.started, width: 140, cell: ({ startedAt }) => <TimeAgo at={startedAt} /> },
  { name: text.took, width: 110, cell: ({ startedAt, finishedAt }) => <Elapsed from={startedAt} to={finishedAt} /> },
  { name: text.error, onCard: "below", cell: errorText },
];
const COLUMNS_WITHOUT_KEY = COLUMNS.filter((column) => column !== KEY);

/** Executions as rows of one line, or as cards on a narrow screen. */
export function ExecutionTable({ rows }: { rows: readonly ExecutionSummary[] }) {
  return (
    <ListTable
      label={common.executions}
      rows={rows}
      columns={hasKeys(rows) ? COLUMNS : COLUMNS_WITHOUT_KEY}
      keyOf={({ id }) => id}
      hrefOf={pageOf}
      minWidth={900}
      isLong
    />
  );
}

/** Whether the list of these runs has a column of keys. */
export function hasKeys(runs: readonly Pick<ExecutionSummary, "key">[]): boolean {
  return runs.some(({ key }) => key !== undefined);
}

function pageOf({ id }: ExecutionSummary): string {
  return `/executions/${id}`;
}

function errorText({ error, status }: ExecutionSummary) {
  if (error === null) return null;
  return (
    <Text size="sm" c={status === "cancelled" ? "dimmed" : "var(--mantine-color-error)"} truncate title={error.message}>
      {error.message}
    </Text>
  );
}
