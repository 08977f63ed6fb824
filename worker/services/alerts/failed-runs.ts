import type { AlertEvent } from "../../domain/alerts/event.ts";
import { forKey } from "../../domain/alerts/for-key.ts";
import { runKeyOf } from "../../domain/run-key.ts";
import { findFailedNodes, findFailedRuns } from "../../store/alert-facts.ts";
import type { FailedRunRow, Position } from "../../store/alert-facts.ts";
import type { Deps } from "../deps.ts";
import { definitionOf } from "../executions/index.ts";
import { placeOf } from "../place-of.ts";
import { toEventPage } from "./page.ts";
import type { EventPage } from "./page.ts";

/** A message describes few events: steps are read for the first ones of a page. */
const STEPS_OF_RUNS_MAX = 25;
const STEPS_MAX = 200;

/** Executions that failed, and among them those that a limit stopped. */
export async function readFailedRuns(deps: Deps, after: Position, limit: number): Promise<EventPage> {
  const rows = (await findFailedRuns(deps.db, after, limit)).map((row) => ({ ...row, at: row.finishedAt }));
  const steps = await stepsOf(deps, rows.slice(0, STEPS_OF_RUNS_MAX));
  return toEventPage(rows, limit, (row) => toEvents(row, steps.get(row.id) ?? null));
}

function toEvents(row: FailedRunRow, step: string | null): AlertEvent[] {
  const {
    id,
    finishedAt: at,
    workflowId,
    workflowName,
    tags,
    code,
    message,
    runbookUrl,
    isFirst,
    concurrencyKey,
  } = row;
  const name = workflowName ?? workflowId;
  const about = forKey(runKeyOf(row));
  const details = [
    `Execution: ${id}`,
    ...(step === null ? [] : [`Step: ${step}`]),
    ...(code === null ? [] : [`Error: ${code}${message === null ? "" : `: ${message}`}`]),
    ...(runbookUrl === null ? [] : [`Runbook: ${runbookUrl}`]),
  ];
  const path = `/executions/${id}`;
  const workflow = { id: workflowId, name, tags: tags ?? [] };
  const failed: AlertEvent = {
    on: "run_failed",
    key: `failed:${id}`,
    at,
    workflow,
    failure: isFirst ? "first" : "further",
    runKey: concurrencyKey,
    line: { at, subject: `Workflow "${name}" failed${about}`, details, path },
  };
  if (code !== "limit_reached") return [failed];
  const subject = `Workflow "${name}" reached a limit${about}`;
  return [failed, { on: "limit_reached", key: `limit:${id}`, at, workflow, line: { at, subject, details, path } }];
}

/** The name of the step that failed last, by execution. */
async function stepsOf(
  deps: Deps,
  rows: readonly { id: string; versionId: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const nodes = (await findFailedNodes(deps.db, ids, STEPS_MAX)).toSorted(
    (a, b) => (b.finishedAt ?? 0) - (a.finishedAt ?? 0),
  );
  const named = await Promise.all(
    rows.map(async ({ id, versionId }): Promise<[string, string][]> => {
      const node = nodes.find(({ executionId }) => executionId === id);
      return node === undefined ? [] : [[id, placeOf(node, await definitionOf(deps, versionId)).nodeName]];
    }),
  );
  return new Map(named.flat());
}
