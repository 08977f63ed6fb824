import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type { JobView } from "../../../schema/contract/execution.ts";
import { useRead } from "../../api/queries.ts";
import { agents } from "../../strings/en/agents.ts";
import { common } from "../../strings/en/common.ts";

/** A job as its workflow and action, with a link to its execution. */
export function JobLink({ job }: { job: JobView }) {
  const { executionId } = job;
  if (executionId === null) return <Text size="sm">{jobName(job)}</Text>;
  return (
    <Text size="sm" component="span">
      <Anchor component={Link} href={`/executions/${executionId}`} size="sm" underline="always">
        <WorkflowOf executionId={executionId} />
      </Anchor>{" "}
      {jobName(job)}
    </Text>
  );
}

/** The name of an execution's workflow, or "Execution" while the name is unknown. */
function WorkflowOf({ executionId }: { executionId: string }) {
  const execution = useRead("/api/v1/automation/executions/{id}", { path: { id: executionId } });
  const id = execution.data?.workflowId ?? "";
  const workflow = useRead("/api/v1/automation/workflows/{id}", { path: { id } }, { enabled: id !== "" });
  return <>{workflow.data?.name ?? common.execution}</>;
}

/** A job's name for people: its action or its purpose. */
function jobName({ kind, action }: JobView): string {
  return kind === "action" && action !== null ? action : agents.jobs.kinds[kind];
}
