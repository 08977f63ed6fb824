import { Alert, Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useLocation } from "wouter";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import type { Definition } from "../../../schema/contract/workflow.ts";
import { call } from "../../api/client.ts";
import { useAction, useRead } from "../../api/queries.ts";
import { notDone } from "../../ui/not-done.ts";
import { ProblemText } from "../../ui/states.tsx";
import { toastSuccess } from "../../ui/toast.tsx";
import { rerunPlan } from "./rerun-plan.ts";
import { executionKey } from "./use-execution.ts";

interface RetryDialogProps {
  execution: ExecutionView;
  /** Null when the version that ran was deleted. */
  definition: Definition | null;
  onClose: () => void;
}

const WAYS = {
  failed: { from: "failed", version: "same" },
  start: { from: "start", version: "same" },
  published: { from: "start", version: "published" },
} as const;
type Way = keyof typeof WAYS;

/** Asks where a retry starts and which version it uses, and lists the steps that run again. */
export default function RetryDialog({ execution, definition, onClose }: RetryDialogProps) {
  const canResume = execution.status !== "succeeded";
  const [way, setWay] = useState<Way>(canResume ? "failed" : "start");
  const versions = useRead("/api/v1/automation/workflows/{id}/versions", {
    path: { id: execution.workflowId },
    query: { limit: 1 },
  });
  const [newest] = versions.data?.items ?? [];
  const isNewer = newest !== undefined && newest.id !== execution.versionId;
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const plan = useMemo(
    () => (definition === null ? null : rerunPlan(definition, execution, WAYS[way].from)),
    [definition, execution, way],
  );
  const retry = useAction(
    (chosen: Way, options) =>
      call(
        "POST",
        "/api/v1/automation/executions/{id}/retry",
        { path: { id: execution.id }, body: WAYS[chosen] },
        options,
      ),
    {
      onDone: ({ executionId }) => {
        onClose();
        toastSuccess("Started as a new run.");
        navigate(`/executions/${executionId}`);
      },
    },
  );
  return (
    <Modal opened onClose={onClose} title="Retry this run" size="lg">
      <Stack gap="md">
        <Radio.Group
          label="Start"
          description="Creates a new run with the same trigger data."
          value={way}
          onChange={(value) => setWay(isWay(value) ? value : way)}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="failed"
              disabled={!canResume}
              label="From the failed step"
              description={
                canResume
                  ? "Uses the version that ran. Steps that succeeded, or whose failure was handled, keep their output. The step whose failure was not handled and all steps after it run again."
                  : "Nothing failed in this run."
              }
            />
            <Radio
              value="start"
              label="From the start"
              description="Runs every step again. Uses the version that ran."
            />
            <Radio
              value="published"
              label={`From the start, with the published version${isNewer ? ` (version ${newest.number})` : ""}`}
              description={
                isNewer
                  ? "The workflow was published after this run. Choose this to run the fixed version."
                  : "Use this after fixing the workflow. The published version is still the one that ran."
              }
            />
          </Stack>
        </Radio.Group>
        {plan === null || way === "published" ? null : (
          <div>
            <Text size="sm">Runs again: {plan.again.join(", ") || "nothing"}</Text>
            {plan.kept.length === 0 ? null : <Text size="sm">Kept: {plan.kept.join(", ")}</Text>}
          </div>
        )}
        {plan === null || plan.unsafeAgain.length === 0 ? null : (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Some work may be done twice">
            An agent had already started {plan.unsafeAgain.join(", ")}. Running this again repeats the work: check the
            target first.
          </Alert>
        )}
        {retry.error === null ? null : (
          <Alert color="red" title={notDone("The retry was not started", retry.error)} role="alert">
            <ProblemText error={retry.error} />
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button
            loading={retry.isPending}
            onClick={() =>
              retry.mutate(way, {
                onError: () => void queries.invalidateQueries({ queryKey: executionKey(execution.id) }),
              })
            }
          >
            Run again
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function isWay(value: string): value is Way {
  return Object.hasOwn(WAYS, value);
}
