import {
  isTerminalExecution,
  isTerminalNodeRun,
  executionStatusSchema,
  nodeRunStatusSchema,
} from "../../schema/contract/execution.ts";
import { WEBHOOK_IDEMPOTENCY_WINDOW_MS } from "../../schema/limits.ts";
import type { Evidence, ExecutionFact } from "../evidence.ts";
import { isSent, kindOf } from "../workflows.ts";
import { groupBy, violation } from "./violation.ts";
import type { Violation } from "./violation.ts";

/** Every event was accepted, and started exactly one execution: the one in every answer (invariant 1). */
export function eventsStartedOnce({ events, executions }: Evidence): Violation[] {
  const check = "an accepted event has exactly one execution";
  const byKey = groupBy(
    executions.flatMap(({ id, kind, key, joined }) => [key, ...joined].map((one) => ({ id, event: `${kind} ${one}` }))),
    ({ event }) => event,
  );
  const found = events.flatMap((event) => {
    const { kind, key, executionIds, tries } = event;
    const started = byKey.get(`${kind} ${key}`) ?? [];
    const ids = started.map(({ id }) => id);
    if (event.acceptedAt === null) return [violation(check, `event ${key} was never accepted in ${tries} attempts`)];
    if (event.lastSentAt - event.firstSentAt > WEBHOOK_IDEMPOTENCY_WINDOW_MS) {
      return [
        violation(
          "the run itself",
          `event ${key} was sent over more than the window of five minutes: it proves nothing`,
        ),
      ];
    }
    if (started.length !== 1) {
      return [
        violation(
          check,
          `event ${key} (${tries} attempts) has ${started.length} executions: ${ids.join(", ")}`,
          ids[0],
        ),
      ];
    }
    if (executionIds.some((id) => !ids.includes(id))) {
      return [
        violation(
          check,
          `event ${key} was answered with ${executionIds.join(", ")}, and started ${ids.join()}`,
          ids[0],
        ),
      ];
    }
    return [];
  });
  const sent = new Set(events.map(({ kind, key }) => `${kind} ${key}`));
  for (const { id, kind, key, joined } of executions) {
    if (!isSent(kindOf(kind))) continue;
    const made = [key, ...joined].filter((one) => !sent.has(`${kind} ${one}`));
    for (const one of made) {
      found.push(violation(check, `execution ${id} of ${kind} has an event that no sender sent: ${one}`, id));
    }
  }
  const started = executions.filter(({ kind }) => !isSent(kindOf(kind)));
  for (const [start, ran] of groupBy(started, ({ kind, key }) => `${kind} for ${key}`)) {
    if (ran.length > 1) found.push(violation(check, `${start} was run ${ran.length} times`, ran[0]?.id));
  }
  return found;
}

/** No execution, node run or job still runs or waits. */
export function everythingEnded({ executions, nodeRuns, jobs }: Evidence): Violation[] {
  const check = "everything has ended";
  const terminalJobs = new Set(["succeeded", "failed", "timed_out", "cancelled"]);
  return [
    ...executions
      .filter(
        ({ status, finishedAt }) => !isTerminalExecution(executionStatusSchema.parse(status)) || finishedAt === null,
      )
      .map(({ id, kind, key, status }) => violation(check, `execution ${id} (${kind}, ${key}) is ${status}`, id)),
    ...nodeRuns
      .filter(({ status }) => !isTerminalNodeRun(nodeRunStatusSchema.parse(status)))
      .map((run) => violation(check, `node run ${run.id} (${run.nodeId}) is ${run.status}`, run.executionId)),
    ...jobs
      .filter(({ status }) => !terminalJobs.has(status))
      .map((job) => violation(check, `job ${job.id} (${job.action ?? "no action"}) is ${job.status}`, job.executionId)),
  ];
}

/** The limit of a request to the recorder. */
const REQUEST_LIMIT_MS = 30_000;

/**
 * An execution ends as its kind does, or it fails by a lost job that must not run again. A request's time limit may
 * also pass when its agent continues after a long pause that a restarted service did not count as a loss. No other
 * fault changes how an execution ends.
 */
export function endedAsTheyShould({ executions, nodeRuns, jobs, events, faults }: Evidence): Violation[] {
  const runsOf = groupBy(nodeRuns, ({ executionId }) => executionId);
  const asked = new Set(events.filter(({ cancelAsked }) => cancelAsked).map(({ key }) => key));
  const pauses = faults.filter(({ fault, fromMs, toMs }) => fault.kind === "pause" && toMs - fromMs > REQUEST_LIMIT_MS);
  const wasPaused = (nodeRunId: string) =>
    jobs.some((job) => {
      const [from, to] = [job.deliveredAt ?? Number.POSITIVE_INFINITY, job.finishedAt ?? 0];
      return job.nodeRunId === nodeRunId && pauses.some(({ fromMs, toMs }) => from <= toMs && fromMs <= to);
    });
  const mayFail = ({ id, kind }: ExecutionFact) =>
    (runsOf.get(id) ?? []).some(
      ({ id: nodeRunId, errorCode }) =>
        errorCode === "agent_lost" ||
        (errorCode === "limit_reached" && kindOf(kind).isLimited === true) ||
        (errorCode === "timed_out" && wasPaused(nodeRunId)),
    );
  return executions.flatMap((execution) => {
    const { id, kind, key, status, error } = execution;
    const { endsAs } = kindOf(kind);
    const fits = endsAs.some((end) => end === status) && (status !== "cancelled" || asked.has(key));
    if (fits || status === "running" || (status === "failed" && mayFail(execution))) return [];
    const nodes = (runsOf.get(id) ?? []).map((run) => `${run.nodeId} ${run.status} ${run.errorCode ?? ""}`.trim());
    const detail = `execution ${id} (${kind}, ${key}) is ${status}, and ends as ${endsAs.join(" or ")}: ${error ?? "no error"}; ${nodes.join(", ")}`;
    return [violation("an execution ends as its workflow says", detail, id)];
  });
}

/**
 * The nodes of an execution ran in the order of its graph, by the clock of their machine. A script that was killed with
 * its agent has no end: its node counts as failed from then on, and the failure's edges follow.
 */
export function nodesInOrder({ executions, nodeRuns, runs }: Evidence): Violation[] {
  const runsOf = groupBy(runs, ({ key }) => key);
  const lost = new Set(
    nodeRuns.flatMap(({ executionId, nodeId, errorCode }) =>
      errorCode === "agent_lost" ? `${executionId} ${nodeId}` : [],
    ),
  );
  return executions.flatMap(({ id, kind, key }) =>
    (kindOf(kind).order ?? []).flatMap(([before, after]) => {
      if (lost.has(`${id} ${before}`)) return [];
      const ran = runsOf.get(key) ?? [];
      const ends = ran
        .filter(({ nodeId }) => nodeId === before)
        .map(({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY);
      const early = ran.find(({ nodeId, beganAt }) => nodeId === after && !ends.some((endedAt) => endedAt <= beganAt));
      if (early === undefined) return [];
      return [
        violation("nodes run in order", `${key}: ${after} (${early.token}) began before ${before} had ended`, id),
      ];
    }),
  );
}
