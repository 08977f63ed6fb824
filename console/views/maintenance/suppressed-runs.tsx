import { Anchor, Button, Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { SuppressedExecution } from "../../../schema/contract/maintenance.ts";
import { call } from "../../api/client.ts";
import { useList } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { common } from "../../strings/en/common.ts";
import { executions } from "../../strings/en/executions.ts";
import { maintenance } from "../../strings/en/maintenance.ts";
import { confirm } from "../../ui/confirm.tsx";
import { ACTIONS, ListTable } from "../../ui/list-table.tsx";
import type { Column } from "../../ui/list-table.tsx";
import { LoadMore } from "../../ui/load-more.tsx";
import { ReadState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { useToastMutation } from "../../ui/use-toast-mutation.ts";
import { CancelButton } from "../executions/cancel-button.tsx";
import { KEY, hasKeys } from "../executions/execution-table.tsx";
import { StartedByView } from "../executions/started-by-view.tsx";
import { WorkflowName } from "../executions/workflow-name.tsx";
import { BeginButton } from "./begin-button.tsx";

const text = maintenance.runs;
const SUPPRESSED = "/api/v1/automation/maintenance-windows/{id}/suppressed";

/** What a window held, asked about or skipped, with the buttons that run it. */
export function SuppressedRuns({ windowId }: { windowId: string }) {
  const list = useList(SUPPRESSED, { path: { id: windowId }, query: { limit: 50 } }, { everyMs: 10_000 });
  const mayRun = useCan("automation:execute");
  const columns: readonly Column<SuppressedExecution>[] = [
    {
      name: common.workflow,
      onCard: "title",
      cell: ({ id, workflowId }) => (
        <Anchor component={Link} href={`/executions/${id}`} fw={600} size="sm">
          <WorkflowName id={workflowId} />
        </Anchor>
      ),
    },
    ...(hasKeys(list.items ?? []) ? [KEY] : []),
    { name: text.what, cell: ({ suppressed }) => maintenance.suppressed[suppressed] },
    {
      name: common.status,
      onCard: "beside",
      cell: (run) => <StatusBadge status={run.waiting === undefined ? run.status : "waiting"} />,
    },
    { name: executions.startedBy, cell: (run) => <StartedByView execution={run} /> },
    { name: executions.started, cell: ({ startedAt }) => <TimeAgo at={startedAt} /> },
    { name: ACTIONS, onCard: "below", cell: (run) => <RunOrLink run={run} mayRun={mayRun} /> },
  ];
  const isLeft = list.items?.some(isLeftToRun) ?? false;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h5">
          {text.title}
        </Title>
        {mayRun && isLeft ? <RunAll windowId={windowId} /> : null}
      </Group>
      <ReadState read={{ ...list, data: list.items }}>
        {(items) =>
          items.length === 0 ? (
            <Text size="sm" c="dimmed">
              {text.none}
            </Text>
          ) : (
            <ListTable label={text.label} rows={items} columns={columns} keyOf={({ id }) => id} />
          )
        }
      </ReadState>
      <LoadMore list={list} />
    </Stack>
  );
}

/** A run that no one has run or cancelled. */
function isLeftToRun({ ranAs, suppressed, waiting }: SuppressedExecution): boolean {
  return ranAs === null && (suppressed === "skipped" || waiting?.code === "maintenance");
}

function RunOrLink({ run, mayRun }: { run: SuppressedExecution; mayRun: boolean }) {
  if (run.ranAs !== null && run.ranAs !== run.id) {
    return (
      <Anchor component={Link} href={`/executions/${run.ranAs}`} size="sm">
        {text.showRun}
      </Anchor>
    );
  }
  if (!mayRun || !isLeftToRun(run)) return null;
  return (
    <Group gap="xs" wrap="nowrap">
      <BeginButton executionId={run.id} size="xs" />
      {run.status === "running" ? <CancelButton executionId={run.id} size="xs" /> : null}
    </Group>
  );
}

/** Asks for one part after the other until all of them run. */
function RunAll({ windowId }: { windowId: string }) {
  const all = useToastMutation(
    async () => {
      const total = { begun: 0, failed: 0 };
      for (let after: string | undefined; ;) {
        const body = after === undefined ? {} : { after };
        const path = { id: windowId };
        const part = await call("POST", "/api/v1/automation/maintenance-windows/{id}/begin", { path, body });
        total.begun += part.begun;
        total.failed += part.failed.length;
        if (part.next === null) return total;
        after = part.next;
      }
    },
    {
      done: ({ begun, failed }) => text.allBegun(begun, failed),
      failed: text.allNotBegun,
      refreshes: [SUPPRESSED],
    },
  );
  const ask = async () => {
    const { title, body, confirm: confirmLabel, keep } = text.confirmAll;
    if (await confirm({ title, body, confirmLabel, keepLabel: keep })) await all.run(undefined);
  };
  return (
    <Button variant="default" onClick={() => void ask()} loading={all.isPending}>
      {text.runAll}
    </Button>
  );
}
