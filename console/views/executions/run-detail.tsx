import { Alert, Anchor, Box, Group, Stack, Text, Title } from "@mantine/core";
import { IconHourglass } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import { ownValue } from "../../../worker/domain/own-value.ts";
import { describeNode } from "../../graph/describe-node.ts";
import { NodeIcon, nodeLook } from "../../graph/node-look.tsx";
import { useCan } from "../../app/session.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { WarningLine } from "../../ui/warning-line.tsx";
import { Answer } from "./answer.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { NodeOutput } from "./node-output.tsx";
import { itemLabel, stepTitle } from "./places.ts";
import { RunError } from "./run-error.tsx";
import { RunFacts, useJobOf } from "./run-facts.tsx";
import { isOver } from "./run-status.ts";
import { TimelineView } from "./timeline-view.tsx";
import { waitsFor, waitsForAgent } from "./waits-for.ts";
import { WhatRan } from "./what-ran.tsx";
import { common } from "../../strings/en/common.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";

interface RunDetailProps {
  /** Null when the version that ran was deleted. */
  node: Node | null;
  /** Null before the node is reached. */
  run: NodeRunView | null;
  nodeId: string;
  workflowId: string;
  /** The node failed, and the workflow handled the failure. */
  handled?: boolean;
  /** The page's banner has the error. */
  inBanner?: boolean;
  /** More about a forEach. */
  children?: ReactNode;
}

/** All details of one node run. */
export function RunDetail({
  node,
  run,
  nodeId,
  workflowId,
  handled = false,
  inBanner = false,
  children,
}: RunDetailProps) {
  const mayEdit = useCan("automation:write");
  const title = stepTitle(node, { nodeId });
  return (
    <Stack gap="sm" component="section" aria-label={text.step.label(title)}>
      <Group gap="xs" wrap="nowrap">
        {node === null ? null : <NodeIcon node={node} />}
        <div style={{ flex: 1, minWidth: 0 }}>
          <Title order={2} size="h4">
            {title}
            {itemLabel(run?.iteration)}
          </Title>
          {node === null ? null : (
            <Text size="xs" c="dimmed">
              {text.step.about(nodeLook(node).label, askedIn(node, run) ?? describeNode(node), node.id)}
            </Text>
          )}
        </div>
        {run === null ? null : (
          <Box flex="none">
            <StatusBadge status={run.status} />
          </Box>
        )}
      </Group>
      {run === null ? (
        <Text size="sm" c="dimmed">
          {text.step.notReached}
        </Text>
      ) : (
        <>
          {children}
          <RunParts node={node} run={run} workflowId={workflowId} handled={handled} inBanner={inBanner} />
        </>
      )}
      {run === null || run.jobId === null || !mayEdit ? null : (
        <Fold title={text.step.whatRan} lazy>
          <WhatRan jobId={run.jobId} node={node} />
        </Fold>
      )}
      {node === null ? null : (
        <Fold title={text.step.definition}>
          <LongText label={text.step.definitionOf} text={JSON.stringify(definitionOf(node), null, 2)} />
        </Fold>
      )}
    </Stack>
  );
}

interface RunPartsProps {
  node: Node | null;
  run: NodeRunView;
  workflowId: string;
  handled: boolean;
  inBanner: boolean;
}

function RunParts({ node, run, workflowId, handled, inBanner }: RunPartsProps) {
  const connectionId = node?.type === "action" ? (node.connectionId ?? null) : null;
  const target = useJobOf(run).data?.target ?? null;
  return (
    <>
      {target === null ? null : <Text size="sm">{text.step.host(target)}</Text>}
      {run.waiting === null ? null : (
        <Alert color="yellow" icon={<IconHourglass aria-hidden />} p="xs">
          {waitsFor(run.waiting)} {waitsForAgent(run.waiting) ? <PoolLink run={run} /> : null}
        </Alert>
      )}
      {run.error === null || inBanner ? null : (
        <RunError
          title={text.errorTitle(run.status, handled)}
          error={run.error}
          connectionId={connectionId}
          workflowId={workflowId}
        />
      )}
      {(run.warnings ?? []).map((warning) => (
        <WarningLine key={warning} message={warning} />
      ))}
      {run.childExecutionId === null ? null : (
        <Anchor component={Link} href={`/executions/${run.childExecutionId}`} size="sm">
          {text.step.subWorkflow}
        </Anchor>
      )}
      {node?.type === "approval" ? <Answer output={run.output} /> : null}
      <Title order={3} size="h6">
        {text.step.output}
      </Title>
      <NodeOutput run={run} />
      <Fold title={text.step.stages} open={!isOver(run.status)}>
        <TimelineView run={run} type={node?.type ?? null} />
      </Fold>
      <Fold title={common.details}>
        <RunFacts run={run} node={node} />
      </Fold>
    </>
  );
}

/** The question of an approval with the values of this run. */
function askedIn({ type }: Node, run: NodeRunView | null): string | null {
  const asked = ownValue(run?.output ?? {}, ["message"]);
  return type === "approval" && typeof asked === "string" && asked !== "" ? asked : null;
}

/** The pool shows each of its agents, and what a job waits for. */
function PoolLink({ run }: { run: NodeRunView }) {
  const poolId = useJobOf(run).data?.poolId ?? null;
  if (poolId === null) return null;
  return (
    <Anchor component={Link} href={`/pools/${poolId}`} inherit c="inherit" underline="always">
      {text.waiting.pool(poolId)}
    </Anchor>
  );
}

/** A node's definition without the body of a forEach, whose nodes have their own details. */
function definitionOf(node: Node): object {
  if (node.type !== "forEach") return node;
  const { body, ...rest } = node;
  return { ...rest, body: text.step.nodes(body.nodes.length) };
}
