import { Anchor, Group, Text } from "@mantine/core";
import { IconBook } from "@tabler/icons-react";
import { Link } from "wouter";
import type { ExecutionView, NodeRunView } from "../../../schema/contract/execution.ts";
import type { Failure } from "../../../schema/contract/problem.ts";
import type { Definition, Node } from "../../../schema/contract/workflow.ts";
import { ownValue } from "../../../worker/domain/own-value.ts";
import { nodeTitle } from "../../graph/describe-node.ts";
import { useRead } from "../../api/queries.ts";
import { useCan } from "../../app/session.tsx";
import { RetryButton } from "./actions.tsx";
import { allNodes, chainTo } from "./iterations.ts";
import { terminalText } from "./output/terminal-text.ts";
import { lastLines, outputParts } from "./output-parts.ts";
import { itemLabel, stepAddress, stepTitle } from "./places.ts";
import { RunError } from "./run-error.tsx";
import { runbookOf } from "./runbook.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

const STDERR_LINES = 10;

interface FailureBannerProps {
  execution: ExecutionView;
  error: Failure;
  definition: Definition | null;
  /** The run of the step that failed; null when the execution ended for another reason. */
  failed: NodeRunView | null;
}

/** Why an execution failed, the end of the step's stderr, and what to do next. */
export function FailureBanner({ execution, error, definition, failed }: FailureBannerProps) {
  const mayExecute = useCan("automation:execute");
  const node = allNodes(definition).find(({ id }) => id === failed?.nodeId) ?? null;
  const shown = failed?.error ?? error;
  const stderr = failed === null ? "" : terminalText(stderrOf(failed)).text;
  return (
    <RunError
      title={<Title execution={execution} failed={failed} node={node} />}
      error={shown}
      exitCode={failed === null ? null : outputParts(failed.output).exitCode}
      connectionId={node?.type === "action" ? (node.connectionId ?? null) : null}
      workflowId={execution.workflowId}
      aside={
        <Group gap="md" mt={4}>
          {mayExecute ? (
            <RetryButton execution={execution} definition={definition} />
          ) : (
            <Text size="sm">{text.failure.mayNotRetry}</Text>
          )}
          {failed?.childExecutionId == null ? null : (
            <Anchor component={Link} href={`/executions/${failed.childExecutionId}`} size="sm">
              {text.step.subWorkflow}
            </Anchor>
          )}
          <Runbook execution={execution} />
        </Group>
      }
    >
      <LoopCounts execution={execution} definition={definition} failed={failed} />
      {/* The message may end with the only line. */}
      {shown.message.includes(stderr.trim()) ? null : (
        <figure className={classes["excerpt"]}>
          <Text component="figcaption" size="xs">
            {text.failure.stderr}
          </Text>
          <pre>{stderr}</pre>
        </figure>
      )}
    </RunError>
  );
}

function Title({ execution, failed, node }: Pick<FailureBannerProps, "execution" | "failed"> & { node: Node | null }) {
  if (failed === null) return execution.status === "cancelled" ? text.failure.cancelled : text.failure.failed;
  const step = (
    <Anchor component={Link} href={stepAddress(execution.id, failed)} inherit underline="always">
      {stepTitle(node, failed)}
      {itemLabel(failed.iteration)}
    </Anchor>
  );
  return failed.status === "timed_out" ? text.failure.stepTimedOut(step) : text.failure.stepFailed(step);
}

/** How many items of the loop around the failed step did not succeed: the banner shows only the first one. */
function LoopCounts({
  execution,
  definition,
  failed,
}: Pick<FailureBannerProps, "execution" | "definition" | "failed">) {
  const loop = definition === null || failed === null ? undefined : chainTo(definition, failed.nodeId)?.[0];
  if (loop === undefined) return null;
  const counts = execution.nodeRuns.find(({ nodeId }) => nodeId === loop.id)?.output ?? {};
  const [failures, notStarted, total] = ["failed", "notStarted", "total"].map((name) =>
    Number(ownValue(counts, [name]) ?? 0),
  );
  if (!failures || !total) return null;
  return (
    <Text size="sm">
      {text.failure.items(nodeTitle(loop), { failed: failures, notStarted: notStarted ?? 0, total })}
    </Text>
  );
}

function Runbook({ execution }: { execution: ExecutionView }) {
  const workflow = useRead("/api/v1/automation/workflows/{id}", { path: { id: execution.workflowId } });
  const runbook = runbookOf(workflow.data?.runbookUrl ?? null, execution.trigger);
  if (runbook === null) return null;
  return (
    <Anchor href={runbook} target="_blank" rel="noopener noreferrer" size="sm">
      <IconBook size={14} aria-hidden /> {text.failure.runbook(new URL(runbook).host)}
    </Anchor>
  );
}

function stderrOf({ output }: NodeRunView): string {
  const stderr = outputParts(output).parts.find(({ title }) => title === "stderr");
  return stderr === undefined ? "" : lastLines(stderr.text, STDERR_LINES);
}
