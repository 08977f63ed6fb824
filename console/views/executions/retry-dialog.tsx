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
import { common } from "../../strings/en/common.ts";
import { runsAnyway } from "../../ui/run-anyway.ts";
import { executions as text } from "../../strings/en/executions.ts";

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
    ({ way: chosen, ...more }: { way: Way; ignoreMaintenance?: boolean }, options) =>
      call(
        "POST",
        "/api/v1/automation/executions/{id}/retry",
        { path: { id: execution.id }, body: { ...WAYS[chosen], ...more } },
        options,
      ),
    {
      onDone: ({ executionId }) => {
        onClose();
        toastSuccess(text.retry.done);
        navigate(`/executions/${executionId}`);
      },
    },
  );
  return (
    <Modal opened onClose={onClose} title={text.retry.title} size="lg">
      <Stack gap="md">
        <Radio.Group
          label={text.retry.label}
          description={text.retry.description}
          value={way}
          onChange={(value) => setWay(isWay(value) ? value : way)}
        >
          <Stack gap="xs" mt="xs">
            <Radio
              value="failed"
              disabled={!canResume}
              label={text.retry.fromFailed}
              description={canResume ? text.retry.aboutFailed : text.retry.nothingFailed}
            />
            <Radio value="start" label={text.retry.fromStart} description={text.retry.aboutStart} />
            <Radio
              value="published"
              label={text.retry.published(isNewer ? newest.number : null)}
              description={isNewer ? text.retry.aboutNewer : text.retry.aboutSame}
            />
          </Stack>
        </Radio.Group>
        {plan === null || way === "published" ? null : (
          <div>
            <Text size="sm">{text.retry.again(plan.again)}</Text>
            {plan.kept.length === 0 ? null : <Text size="sm">{text.retry.kept(plan.kept)}</Text>}
          </div>
        )}
        {plan === null || plan.unsafeAgain.length === 0 ? null : (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={text.retry.twice}>
            {text.retry.aboutTwice(plan.unsafeAgain)}
          </Alert>
        )}
        {retry.error === null ? null : (
          <Alert color="red" title={notDone(text.retry.notDone, retry.error)} role="alert">
            <ProblemText error={retry.error} />
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {common.close}
          </Button>
          <Button
            loading={retry.isPending}
            onClick={() =>
              retry.mutate(
                { way },
                {
                  onError: async (error) => {
                    if (await runsAnyway(error)) return retry.mutate({ way, ignoreMaintenance: true });
                    return queries.invalidateQueries({ queryKey: executionKey(execution.id) });
                  },
                },
              )
            }
          >
            {text.retry.run}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function isWay(value: string): value is Way {
  return Object.hasOwn(WAYS, value);
}
