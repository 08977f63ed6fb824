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
        toastSuccess("It runs again, as a new execution.");
        navigate(`/executions/${executionId}`);
      },
    },
  );
  return (
    <Modal opened onClose={onClose} title="Run this execution again" size="lg">
      <Stack gap="md">
        <Radio.Group
          label="From where"
          description="Either way it is a new execution, with the same trigger data as this one."
          value={way}
          onChange={(value) => setWay(isWay(value) ? value : way)}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="failed"
              disabled={!canResume}
              label="From what failed"
              description={
                canResume
                  ? "By the version that ran. What succeeded, or failed and was handled, is kept with its output; the failure that nothing handled and everything behind it runs again."
                  : "Nothing failed in this execution."
              }
            />
            <Radio value="start" label="From the start" description="Everything runs again, by the version that ran." />
            <Radio
              value="published"
              label={`From the start, as it is published now${isNewer ? `: version ${newest.number}` : ""}`}
              description={
                isNewer
                  ? "The workflow was published again since this ran: only this runs what was mended."
                  : "For after the workflow was mended. At present that is the version that ran."
              }
            />
          </Stack>
        </Radio.Group>
        {plan === null || way === "published" ? null : (
          <div>
            <Text size="sm">Runs again: {plan.again.join(", ") || "nothing"}</Text>
            {plan.kept.length === 0 ? null : <Text size="sm">Kept as it is: {plan.kept.join(", ")}</Text>}
          </div>
        )}
        {plan === null || plan.unsafeAgain.length === 0 ? null : (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Some of it may happen twice">
            An agent had begun with {plan.unsafeAgain.join(", ")}. Running that again does its work a second time: look
            at its target first.
          </Alert>
        )}
        {retry.error === null ? null : (
          <Alert color="red" title={notDone("It was not run again", retry.error)} role="alert">
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
