import { Button, Group } from "@mantine/core";
import { IconPlayerStop, IconReload } from "@tabler/icons-react";
import { Suspense, lazy, useState } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { useCan } from "../../app/session.tsx";
import { BeginButton } from "../maintenance/begin-button.tsx";
import { CancelButton } from "./cancel-button.tsx";
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
        <CancelButton executionId={execution.id} icon={<IconPlayerStop size={16} aria-hidden />} />
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
