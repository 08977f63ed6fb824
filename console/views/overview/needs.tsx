import { Anchor, Text } from "@mantine/core";
import { Link } from "wouter";
import type {
  FailingWorkflow,
  Overview,
  UnhealthyAgent,
  UrgentIncident,
  WaitingJob,
} from "../../../schema/contract/overview.ts";
import { OVERVIEW_FAILURES_MAX } from "../../../schema/limits.ts";
import { overview as text } from "../../strings/en/overview.ts";
import { IncidentStatusBadge, SeverityBadge } from "../../ui/incident-badges.tsx";
import { StatusBadge } from "../../ui/status.tsx";
import { TimeAgo } from "../../ui/time.tsx";
import { waitingSentence } from "../executions/waits-for.ts";
import { Detail, Row, nameOf, titleOf } from "./row.tsx";
import { ListSection } from "./section.tsx";

export function Incidents({ incidents }: { incidents: Overview["incidents"] }) {
  return (
    <ListSection
      title={text.incidents.title}
      section={incidents}
      all={{ href: "/incidents", label: text.incidents.all }}
      row={(incident) => <IncidentRow key={incident.id} incident={incident} />}
    />
  );
}

function IncidentRow({ incident }: { incident: UrgentIncident }) {
  const { id, title, severity, status, service, host, assignedTo, createdAt } = incident;
  const facts = [service, host, assignedTo === null ? null : text.incidents.assignedTo(assignedTo)].filter(
    (fact) => fact !== null,
  );
  return (
    <Row
      href={`/incidents/${id}`}
      name={title}
      beside={
        <>
          <SeverityBadge severity={severity} />
          <IncidentStatusBadge status={status} />
        </>
      }
      time={<TimeAgo at={createdAt} />}
      detail={facts.length === 0 ? null : <Detail>{facts.join(", ")}</Detail>}
    />
  );
}

export function WaitingJobs({ jobs }: { jobs: Overview["waitingJobs"] }) {
  return (
    <ListSection
      title={text.waitingJobs}
      section={jobs}
      all={{ href: "/agents", label: text.agentsAndPools }}
      row={(job) => <JobRow key={job.jobId} job={job} />}
    />
  );
}

function JobRow({ job }: { job: WaitingJob }) {
  return (
    <Row
      href={`/executions/${job.executionId}`}
      name={nameOf(job)}
      beside={
        <Text size="sm" c="dimmed">
          {titleOf(job)}
        </Text>
      }
      time={<TimeAgo at={job.queuedAt} />}
      detail={<Detail>{waitingSentence(job.waiting)}</Detail>}
    />
  );
}

export function Failing({ failing }: { failing: Overview["failing"] }) {
  const all = (of: Record<string, string>) => failedSince(failing.from, of);
  return (
    <ListSection
      title={text.failing.title}
      section={failing}
      all={{ href: all({}), label: text.failing.all }}
      row={(workflow) => (
        <FailingRow key={workflow.workflowId} workflow={workflow} all={all({ workflowId: workflow.workflowId })} />
      )}
    />
  );
}

function FailingRow({ workflow, all }: { workflow: FailingWorkflow; all: string }) {
  const { workflowName, failures, newest } = workflow;
  return (
    <Row
      href={`/executions/${newest.executionId}`}
      name={workflowName}
      beside={
        failures === 1 ? null : (
          <Anchor component={Link} href={all} size="sm">
            {text.failing.times(failures, failures === OVERVIEW_FAILURES_MAX)}
          </Anchor>
        )
      }
      time={<TimeAgo at={newest.finishedAt ?? newest.startedAt} />}
      detail={<Detail>{newest.message === "" ? text.failing.noMessage : newest.message}</Detail>}
    />
  );
}

function failedSince(from: string, of: Record<string, string> = {}): string {
  return `/executions?${new URLSearchParams({ ...of, status: "failed", from })}`;
}

/** `failedFrom`: since when failed executions are of interest. */
export function Agents({ agents, failedFrom }: { agents: Overview["agents"]; failedFrom: string }) {
  const { unknown } = agents.counts;
  return (
    <>
      <ListSection
        title={text.agents.title}
        section={agents}
        all={{ href: "/agents", label: text.agents.all }}
        row={(agent) => <AgentRow key={agent.id} agent={agent} failed={failedSince(failedFrom)} />}
      />
      {unknown === 0 ? null : <Text size="sm">{text.agents.unknown(unknown)}</Text>}
    </>
  );
}

function AgentRow({ agent, failed }: { agent: UnhealthyAgent; failed: string }) {
  const { id, name, status, healthScore, health, lastHeartbeatAt } = agent;
  return (
    <Row
      href={`/agents/${id}`}
      name={name}
      beside={<StatusBadge status={status} />}
      time={text.agents.state(healthScore, <TimeAgo at={lastHeartbeatAt} />)}
      detail={
        status !== "Degraded" || health === undefined ? null : (
          <Detail>
            {text.agents.degraded(
              health.succeededJobs,
              health.finishedJobs,
              <Anchor key="failed" component={Link} href={failed} inherit>
                {text.agents.failedExecutions}
              </Anchor>,
              <Anchor key="help" href="/help/operations#degraded-agents" target="_blank" inherit>
                {text.agents.help}
              </Anchor>,
            )}
          </Detail>
        )
      }
    />
  );
}
