import { Alert, Anchor, Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle, IconClock } from "@tabler/icons-react";
import { useDocumentTitle } from "@mantine/hooks";
import { useMemo } from "react";
import { Link } from "wouter";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Actions } from "./actions.tsx";
import { Approvals, isAsking } from "./approvals.tsx";
import { failedNodes, failedRun } from "./failed-nodes.ts";
import { FailureBanner } from "./failure-banner.tsx";
import { ExecutionBody } from "./execution-body.tsx";
import { Heading } from "./heading.tsx";
import { shownStatus } from "./run-status.ts";
import { useRanVersion } from "./use-definition.ts";
import { allNodes } from "./iterations.ts";
import { useExecution } from "./use-execution.ts";
import type { Following } from "./use-execution.ts";
import { useWorkflowName } from "./workflow-name.tsx";
import { waitingSentence } from "./waits-for.ts";
import { executionSteps as steps } from "../../strings/en/execution-steps.ts";
import { shell } from "../../strings/en/shell.ts";
import { common } from "../../strings/en/common.ts";
import { executions as text } from "../../strings/en/executions.ts";

const ABOVE = [{ label: common.executions, href: "/executions" }];

export default function View({ params: { id = "" } }: { params: { id?: string | undefined } }) {
  // The key resets selections and typed text when another execution is opened.
  return <One key={id} id={id} />;
}

function One({ id }: { id: string }) {
  const { read, following } = useExecution(id);
  if (read.data !== undefined) {
    return (
      <ReadState read={read}>{(execution) => <Execution execution={execution} following={following} />}</ReadState>
    );
  }
  return (
    <Page title={common.execution} above={ABOVE}>
      <ReadState read={read}>{() => null}</ReadState>
    </Page>
  );
}

function Execution({ execution, following }: { execution: ExecutionView; following: Following }) {
  const name = useWorkflowName(execution.workflowId);
  const version = useRanVersion(execution.workflowId, execution.versionId);
  const title = name ?? (name === null ? text.page.ofDeleted : common.execution);
  const isWaiting = execution.waiting !== undefined || execution.nodeRuns.some((run) => run.status === "waiting");
  const status = shownStatus(execution, isWaiting);
  // Replaces the title that the page component sets.
  useDocumentTitle(shell.tab(text.page.documentTitle(status, title)));
  const asking = execution.nodeRuns.filter(isAsking).length;
  const definition = version.data?.definition ?? null;
  const failed = useMemo(() => failedRun(execution, definition), [execution, definition]);
  const titles = new Map(allNodes(definition).map((node) => [node.id, nodeTitle(node)]));
  return (
    <Page
      title={title}
      above={ABOVE}
      beside={<StatusBadge status={status} />}
      actions={<Actions execution={execution} definition={definition} />}
      description={
        <Heading execution={execution} isWaiting={isWaiting} deleted={name === null} version={version.data ?? null} />
      }
    >
      <VisuallyHidden aria-live="polite" role="status">
        {text.page.state(execution.waiting === undefined ? execution.status : "waiting", asking)}
      </VisuallyHidden>
      {following === "lost" ? (
        <Alert color="yellow" p="xs" role="status">
          {text.page.lost}
        </Alert>
      ) : null}
      {execution.waiting === undefined || execution.status !== "running" ? null : (
        <Alert color="blue" icon={<IconClock aria-hidden />} title={waitingSentence(execution.waiting)}>
          {execution.waiting.executionId === undefined ? null : (
            <Anchor component={Link} href={`/executions/${execution.waiting.executionId}`} size="sm">
              {steps.waiting.earlierRun}
            </Anchor>
          )}
        </Alert>
      )}
      {execution.supersededBy === undefined ? null : (
        <Alert color="blue" icon={<IconClock aria-hidden />} title={text.page.superseded.title}>
          {text.page.superseded.next}{" "}
          <Anchor component={Link} href={`/executions/${execution.supersededBy}`} size="sm">
            {text.page.superseded.newer}
          </Anchor>
        </Alert>
      )}
      {execution.error === null ? null : (
        <FailureBanner execution={execution} error={execution.error} definition={definition} failed={failed} />
      )}
      <HandledFailures execution={execution} titleOf={(nodeId) => titles.get(nodeId) ?? nodeId} />
      <Approvals execution={execution} titleOf={(nodeId) => titles.get(nodeId) ?? nodeId} />
      <ExecutionBody execution={execution} version={version} inBanner={failed?.id ?? null} />
    </Page>
  );
}

/** A warning for an execution that succeeded because its failures were handled: some of its work may not be done. */
function HandledFailures({ execution, titleOf }: { execution: ExecutionView; titleOf: (nodeId: string) => string }) {
  const failed = execution.status === "succeeded" ? failedNodes(execution.nodeRuns) : [];
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={text.page.handled.title}>
      <Text size="sm">{text.page.handled.steps(failed.map(titleOf))}</Text>
    </Alert>
  );
}
