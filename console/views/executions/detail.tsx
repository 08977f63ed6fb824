import { Alert, VisuallyHidden } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useMemo } from "react";
import type { ExecutionView } from "../../../schema/contract/execution.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { Page } from "../../ui/page.tsx";
import { ReadState } from "../../ui/states.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { Actions } from "./actions.tsx";
import { Approvals, isAsking } from "./approvals.tsx";
import { failedRun } from "./failed-nodes.ts";
import { FailureBanner } from "./failure-banner.tsx";
import { ExecutionBody } from "./execution-body.tsx";
import { HandledFailures } from "./handled-failures.tsx";
import { Heading } from "./heading.tsx";
import { useRanVersion } from "./use-definition.ts";
import { allNodes } from "./iterations.ts";
import { useExecution } from "./use-execution.ts";
import type { Following } from "./use-execution.ts";
import { useWorkflowName } from "./workflow-name.tsx";

const ABOVE = [{ label: "Executions", href: "/executions" }];

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
    <Page title="Execution" above={ABOVE}>
      <ReadState read={read}>{() => null}</ReadState>
    </Page>
  );
}

function Execution({ execution, following }: { execution: ExecutionView; following: Following }) {
  const name = useWorkflowName(execution.workflowId);
  const version = useRanVersion(execution.workflowId, execution.versionId);
  const title = name ?? (name === null ? "A deleted workflow" : "Execution");
  // Replaces the title that the page component sets.
  useDocumentTitle(`${execution.status}: ${title} · Bellhop`);
  const asking = execution.nodeRuns.filter(isAsking).length;
  const definition = version.data?.definition ?? null;
  const failed = useMemo(() => failedRun(execution, definition), [execution, definition]);
  const titles = new Map(allNodes(definition).map((node) => [node.id, nodeTitle(node)]));
  return (
    <Page
      title={title}
      above={ABOVE}
      beside={<StatusBadge status={execution.status} />}
      actions={<Actions execution={execution} definition={definition} />}
      description={<Heading execution={execution} deleted={name === null} version={version.data ?? null} />}
    >
      <VisuallyHidden aria-live="polite" role="status">
        {`Run status: ${execution.status}.${asking === 0 ? "" : ` ${asking} steps wait for approval.`}`}
      </VisuallyHidden>
      {following === "lost" ? (
        <Alert color="yellow" p="xs" role="status">
          Live updates are interrupted. Until they resume, this page refreshes every few seconds.
        </Alert>
      ) : null}
      {execution.error === null ? null : (
        <FailureBanner execution={execution} error={execution.error} definition={definition} failed={failed} />
      )}
      <HandledFailures execution={execution} titleOf={(nodeId) => titles.get(nodeId) ?? nodeId} />
      <Approvals execution={execution} titleOf={(nodeId) => titles.get(nodeId) ?? nodeId} />
      <ExecutionBody execution={execution} version={version} inBanner={failed?.id ?? null} />
    </Page>
  );
}
