import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { useAction } from "../../api/queries.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import type { WorkflowVersionView, WorkflowView } from "../../../schema/contract/management.ts";
import { common } from "../../strings/en/common.ts";
import { workflowTriggers } from "../../strings/en/workflow-triggers.ts";
import { workflows } from "../../strings/en/workflows.ts";
import { LoadingState, ProblemText } from "../../ui/states.tsx";
import { runsAnyway } from "../../ui/run-anyway.ts";
import { hasUnpublishedChanges } from "./banners.tsx";
import { RunInputs } from "./run-inputs.tsx";
import { RunVariables } from "./run-variables.tsx";

const text = workflowTriggers.run;
const PATH = "/api/v1/automation/workflows/{id}/execute";

interface Props {
  workflow: WorkflowView;
  live: WorkflowVersionView | null | undefined;
  opened: boolean;
  onClose: () => void;
}

/** Starts the published version manually, with the inputs of its trigger. */
export function RunDialog({ workflow, live, opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title={text.title(workflow.name)} size="lg">
      {live === undefined ? (
        <LoadingState />
      ) : live === null ? (
        <NotPublished onClose={onClose} />
      ) : (
        <RunForm workflow={workflow} live={live} onClose={onClose} />
      )}
    </Modal>
  );
}

function NotPublished({ onClose }: { onClose: () => void }) {
  return (
    <Stack gap="md">
      <Text size="sm">{text.notPublished}</Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {common.close}
        </Button>
      </Group>
    </Stack>
  );
}

function RunForm({
  workflow,
  live,
  onClose,
}: {
  workflow: WorkflowView;
  live: WorkflowVersionView;
  onClose: () => void;
}) {
  const [, navigate] = useLocation();
  const [error, setError] = useState<unknown>(null);
  const execute = useAction(
    (body: { variables: JsonObject; ignoreMaintenance?: boolean }, { idempotencyKey }) =>
      call("POST", PATH, { path: { id: workflow.id }, body }, { idempotencyKey }),
    { refreshes: ["/api/v1/automation/executions", "/api/v1/automation/workflows"] },
  );
  const run = async (variables: JsonObject, ignoreMaintenance = false) => {
    setError(null);
    try {
      const { executionId } = await execute.mutateAsync({
        variables,
        ...(ignoreMaintenance ? { ignoreMaintenance } : {}),
      });
      navigate(`/executions/${executionId}`);
    } catch (failure) {
      if (await runsAnyway(failure)) await run(variables, true);
      else setError(failure);
    }
  };
  const { trigger } = live;
  const isStartable = workflow.active || trigger.type === "manual";
  const inputs = trigger.type === "manual" ? trigger.inputs : undefined;
  const buttons = (
    <Group justify="flex-end" gap="xs">
      <Button variant="subtle" color="gray" onClick={onClose}>
        {common.cancel}
      </Button>
      <Button type="submit" loading={execute.isPending}>
        {workflows.runNow}
      </Button>
    </Group>
  );
  return (
    <Stack gap="sm">
      <Text size="sm">
        {isStartable ? text.version(live.number) : text.inactiveVersion(live.number)}{" "}
        {hasUnpublishedChanges(workflow, live) ? text.draftIsAhead : null}
      </Text>
      {error === null ? null : (
        <Alert color="red" role="alert" title={text.failed}>
          <ProblemText error={error} />
          {error instanceof ApiProblem && error.status === 409 ? (
            <Text size="sm" mt={4}>
              {text.checkState}
            </Text>
          ) : null}
        </Alert>
      )}
      {inputs === undefined ? (
        <RunVariables version={live} onRun={(variables) => void run(variables)} buttons={buttons} />
      ) : (
        <RunInputs inputs={inputs} onRun={(variables) => void run(variables)} buttons={buttons} />
      )}
    </Stack>
  );
}
