import { Button, Group } from "@mantine/core";
import { IconPlayerStop, IconReload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useState } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { call } from "../../api/client.ts";
import { useAction } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { confirm } from "../../ui/confirm.tsx";
import { toastSuccess, toastFailure } from "../../ui/toast.tsx";
import { BeginButton } from "../maintenance/begin-button.tsx";
import { executionKey } from "./use-execution.ts";
import { useRetries } from "./use-retries.ts";
import { executions as text } from "../../strings/en/executions.ts";

const RetryDialog = lazy(() => import("./retry-dialog.tsx"));

/** The actions on an execution: cancel it while it runs, retry it after its end. */
export function Actions({ execution, definition }: { execution: ExecutionView; definition: Definition | null }) {
  const mayExecute = useCan("automation:execute");
  const retries = useRetries(execution);
  if (!mayExecute) return null;
  const begin = isSuppressed(execution, retries) ? <BeginButton executionId={execution.id} /> : null;
  if (execution.status === "running") {
    return (
      <Group gap="xs">
        {begin}
        <CancelButton executionId={execution.id} />
      </Group>
    );
  }
  if (begin !== null) return begin;
  // The banner of an error has the button, too.
  return execution.error === null ? <RetryButton execution={execution} definition={definition} /> : null;
}

/** Whether a maintenance window keeps it from running. The first retry of a skipped one has run it. */
function isSuppressed({ waiting, error }: ExecutionView, retries: ReturnType<typeof useRetries>): boolean {
  return waiting?.code === "maintenance" || (error?.code === "skipped_maintenance" && retries?.length === 0);
}

export function RetryButton({ execution, definition }: { execution: ExecutionView; definition: Definition | null }) {
  const [retrying, setRetrying] = useState(false);
  return (
    <>
      <Button leftSection={<IconReload size={16} aria-hidden />} onClick={() => setRetrying(true)}>
        {text.retry.button}
      </Button>
      {retrying ? (
        <Suspense fallback={null}>
          <RetryDialog execution={execution} definition={definition} onClose={() => setRetrying(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

function CancelButton({ executionId }: { executionId: string }) {
  const queries = useQueryClient();
  const cancel = useAction(
    (id: string) => call("POST", "/api/v1/automation/executions/{id}/cancel", { path: { id } }),
    {
      onDone: (execution, id) => {
        queries.setQueryData(executionKey(id), execution);
        toastSuccess(text.cancel.done);
      },
    },
  );
  const ask = async () => {
    const sure = await confirm({
      title: text.cancel.title,
      body: text.cancel.body,
      confirmLabel: text.cancel.button,
      keepLabel: text.cancel.keep,
      danger: true,
    });
    if (!sure) return;
    cancel.mutate(executionId, {
      onError: (error) => {
        toastFailure(text.cancel.notDone, error);
        void queries.invalidateQueries({ queryKey: executionKey(executionId) });
      },
    });
  };
  return (
    <Button
      color="red"
      variant="outline"
      leftSection={<IconPlayerStop size={16} aria-hidden />}
      loading={cancel.isPending}
      onClick={() => void ask()}
    >
      {text.cancel.button}
    </Button>
  );
}
