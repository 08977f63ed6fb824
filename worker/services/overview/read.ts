import type { AskedRun, Overview, UrgentIncident } from "../../../schema/contract/overview.ts";
import { OVERVIEW_ITEMS_MAX, OVERVIEW_RUNS_MAX, OVERVIEW_WORKFLOWS_MAX } from "../../../schema/limits.ts";
import {
  countRunning,
  findOldestRunning,
  findSwitchedOff,
  findUrgentIncidents,
  hasWorkflow,
} from "../../store/overview.ts";
import { listMaintenanceWindows } from "../../store/maintenance-windows.ts";
import { findAsked } from "../../store/suppressed-executions.ts";
import type { IncidentRow } from "../../store/incidents.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { readPauseIfPossible } from "../control/index.ts";
import type { Deps } from "../deps.ts";
import { waitingOf } from "../executions/index.ts";
import type { Principal } from "../principal.ts";
import { readAgents } from "./agents.ts";
import { waitingApprovals } from "./approvals.ts";
import { connectionsWithoutCredential } from "./credentials.ts";
import { failingWorkflows } from "./failing.ts";
import { toIso, toSection } from "./section.ts";
import { waitingJobs } from "./waiting-jobs.ts";

/** What needs a person now. Approvals say whether the caller may answer them. */
export async function readOverview(deps: Deps, by: Principal): Promise<Overview> {
  const { db } = deps;
  const [
    approvals,
    asked,
    incidents,
    jobs,
    failing,
    switchedOff,
    agents,
    running,
    count,
    connections,
    anyWorkflow,
    pause,
    windows,
  ] = await Promise.all([
    waitingApprovals(deps, by),
    findAsked(db, OVERVIEW_ITEMS_MAX + 1),
    findUrgentIncidents(db, OVERVIEW_ITEMS_MAX + 1),
    waitingJobs(deps),
    failingWorkflows(deps),
    findSwitchedOff(db, OVERVIEW_WORKFLOWS_MAX + 1),
    readAgents(deps),
    liveRuns(deps),
    countRunning(db, OVERVIEW_RUNS_MAX),
    connectionsWithoutCredential(deps),
    hasWorkflow(db),
    readPauseIfPossible(deps),
    listMaintenanceWindows(db, { beforeId: null, limit: OVERVIEW_ITEMS_MAX + 1, state: "open" }, deps.now()),
  ]);
  return {
    ...pause,
    maintenance: toSection(windows, OVERVIEW_ITEMS_MAX, ({ id, name, reason, mode, everything, endsAt }) => ({
      id,
      name,
      reason,
      mode,
      everything,
      endsAt: toIso(endsAt),
    })),
    approvals,
    asked: toSection(asked, OVERVIEW_ITEMS_MAX, toAskedRun),
    incidents: toSection(incidents, OVERVIEW_ITEMS_MAX, toUrgentIncident),
    waitingJobs: jobs,
    failing,
    switchedOff: toSection(switchedOff, OVERVIEW_WORKFLOWS_MAX, ({ autoDisabledAt, ...workflow }) => ({
      ...workflow,
      autoDisabledAt: autoDisabledAt === null ? null : toIso(autoDisabledAt),
    })),
    agents: agents.section,
    running: { ...running, count },
    setUp: {
      hasAgent: agents.hasAgent,
      hasConnection: connections.hasConnection,
      hasWorkflow: anyWorkflow,
      withoutCredential: connections.section,
    },
  };
}

async function liveRuns(deps: Deps) {
  const rows = await findOldestRunning(deps.db, OVERVIEW_ITEMS_MAX + 1);
  const waiting = await waitingOf(
    deps,
    rows.map(({ executionId }) => executionId),
  );
  return toSection(rows, OVERVIEW_ITEMS_MAX, ({ keys, ...run }) => ({
    ...run,
    key: runKeyOf(keys) ?? undefined,
    startedAt: toIso(run.startedAt),
    isWaiting: waiting.has(run.executionId),
  }));
}

function toAskedRun({ hold, keys, startedAt, ...run }: Awaited<ReturnType<typeof findAsked>>[number]): AskedRun {
  const { id, name } = hold?.code === "maintenance" ? hold.window : { id: "", name: "" };
  return { ...run, key: runKeyOf(keys) ?? undefined, startedAt: toIso(startedAt), window: { id, name } };
}

function toUrgentIncident(row: IncidentRow): UrgentIncident {
  const { id, title, severity, status, service, host, assignedTo } = row;
  return { id, title, severity, status, service, host, assignedTo, createdAt: toIso(row.createdAt) };
}
