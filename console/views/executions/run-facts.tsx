import { Anchor, Text } from "@mantine/core";
import { useQuery, keepPreviousData } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { NodeRunView } from "../../../schema/contract/execution.ts";
import type { Node } from "../../../schema/contract/workflow.ts";
import { call } from "../../api/client.ts";
import { useRead } from "../../api/queries.ts";
import { Copy } from "../../ui/copy.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { common } from "../../strings/en/common.ts";
import { executionSteps as text } from "../../strings/en/execution-steps.ts";
import classes from "./executions.module.css";

/** The job of a node run, read again after each stage. */
export function useJobOf({ jobId, status, timeline }: NodeRunView) {
  const path = { id: jobId ?? "" };
  return useQuery({
    queryKey: ["/api/v1/automation/jobs/{id}", { path }, status, timeline],
    queryFn: ({ signal }) => call("GET", "/api/v1/automation/jobs/{id}", { path }, { signal }),
    enabled: jobId !== null,
    placeholderData: keepPreviousData,
  });
}

/** The connection, agent, pool, attempt and job of a node run. */
export function RunFacts({ run, node }: { run: NodeRunView; node: Node | null }) {
  const job = useJobOf(run);
  const connectionId = job.data?.connectionId ?? (node?.type === "action" ? node.connectionId : undefined) ?? null;
  const agentId = job.data?.agentId ?? null;
  const attempts = node?.type === "action" ? (node.retry?.maxAttempts ?? 1) : 1;
  const late = job.data?.lateResults ?? [];
  return (
    <dl className={classes["facts"]}>
      {connectionId === null ? null : (
        <Fact name={common.connection}>
          <ConnectionLink id={connectionId} />
        </Fact>
      )}
      {run.jobId === null ? null : (
        <Fact name={common.agent}>{agentId === null ? text.facts.noAgent : <AgentLink id={agentId} />}</Fact>
      )}
      {job.data?.poolId == null ? null : (
        <Fact name={common.pool}>
          <Anchor component={Link} href={`/pools/${job.data.poolId}`} size="sm">
            {job.data.poolId}
          </Anchor>
        </Fact>
      )}
      <Fact name={text.facts.attempt}>{text.facts.attempts(run.attempt, attempts)}</Fact>
      {job.data === undefined ? null : <Fact name={text.facts.safeToRetry}>{text.facts.safe[job.data.effect]}</Fact>}
      {run.jobId === null ? null : (
        <Fact name={text.facts.job}>
          <span className={classes["job"]}>
            <span className={classes["id"]}>{run.jobId}</span>
            <Copy value={run.jobId} label={text.facts.copyJob} />
          </span>
        </Fact>
      )}
      {late.map(({ agentId, status, reportedAt }) => (
        <Fact key={`${agentId} ${reportedAt}`} name={text.facts.late}>
          {text.facts.lateResult(
            <AgentLink id={agentId} />,
            text.facts.lateStatuses[status],
            <TimeAgo at={reportedAt} />,
          )}
        </Fact>
      ))}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function AgentLink({ id }: { id: string }) {
  const { data } = useRead("/api/v1/automation/agents/{id}", { path: { id } });
  return (
    <Anchor component={Link} href={`/agents/${id}`} size="sm">
      {data?.name ?? id}
    </Anchor>
  );
}

function ConnectionLink({ id }: { id: string }) {
  const { data } = useRead("/api/v1/automation/connections/{id}", { path: { id } });
  return (
    <>
      <Anchor component={Link} href={`/connections/${id}`} size="sm">
        {data?.name ?? id}
      </Anchor>
      {data === undefined ? null : (
        <Text component="span" size="sm" c="dimmed">
          {" "}
          {data.type}
        </Text>
      )}
    </>
  );
}
