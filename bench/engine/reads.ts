import { z } from "zod";
import { executionSchema, executionSummarySchema } from "../../schema/contract/execution.ts";
import { RARE_WORKFLOW, STORED_DAYS, storedWorkflowId } from "./fill.ts";
import { pick } from "./figures.ts";
import type { EngineWorker } from "./service.ts";

export interface StoredRead {
  name: string;
  /**
   * `index` rises from call to call, so that calls read different rows. Fails when the stored rows differ from the
   * fill.
   */
  read(index: number): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Small enough that every list is full in the small database too: both answer the same number of rows. */
const PAGE = 2;
/** Most of the rare workflow's executions, so that a list that scans other workflows' executions is slow here. */
const RARE_PAGE = 15;
const IDS = 200;

/** GET /executions with every combination of its filters, and single executions, over the rows of `fillExecutions`. */
export function storedReads(worker: EngineWorker, now: number): StoredRead[] {
  const workflowId = storedWorkflowId(3);
  const rare = storedWorkflowId(RARE_WORKFLOW);
  const at = (days: number) => new Date(now - days * DAY_MS).toISOString();
  const window = { from: at(STORED_DAYS / 2), to: at(STORED_DAYS / 2 - 10) };
  const lists: Record<string, Record<string, string>> = {
    "no filter": {},
    workflowId: { workflowId },
    "status=succeeded": { status: "succeeded" },
    "status=failed": { status: "failed" },
    "status=running": { status: "running" },
    "status=waiting": { status: "waiting" },
    "trigger=webhook": { trigger: "webhook" },
    "trigger=webhook, status=failed": { trigger: "webhook", status: "failed" },
    "trigger=webhook, status=succeeded": { trigger: "webhook", status: "succeeded" },
    "trigger=webhook, from, to": { ...window, trigger: "webhook" },
    "workflowId, trigger=webhook": { workflowId, trigger: "webhook" },
    "trigger=manual (rare)": { trigger: "manual" },
    "trigger=manual (rare), from, to": { ...window, trigger: "manual" },
    "workflowId, status=failed": { workflowId, status: "failed" },
    "from, to": window,
    "from (old)": { from: at(STORED_DAYS - 1) },
    "to (old)": { to: at(STORED_DAYS - 5) },
    "workflowId, from, to": { ...window, workflowId },
    "status=failed, from, to": { ...window, status: "failed" },
    "workflowId, status=failed, from, to": { ...window, workflowId, status: "failed" },
    "workflowId (rare)": { workflowId: rare },
    "workflowId (rare), status=failed": { workflowId: rare, status: "failed" },
    "workflowId (rare), from, to": { ...window, workflowId: rare },
    "workflowId (rare), status=failed, from, to": { ...window, workflowId: rare, status: "failed" },
    "workflowId (rare), from (old)": { from: at(STORED_DAYS - 1), workflowId: rare },
  };
  const cursors = storedIds(worker, 0.35, 0.65).map((id) => Buffer.from(id, "latin1").toString("base64url"));
  const ids = storedIds(worker, 0.05, 0.95);
  const pageOf = (filter: Record<string, string>) =>
    filter["workflowId"] === rare || filter["trigger"] === "manual" ? RARE_PAGE : PAGE;
  return [
    ...Object.entries(lists).flatMap(([name, filter]) => [
      listRead(worker, `list: ${name}`, filter, pageOf(filter)),
      // In the later half of the time no execution is running.
      ...(filter["status"] === "running" || filter["status"] === "waiting" || filter["to"] !== undefined
        ? []
        : [listRead(worker, `list: ${name}, from the middle`, filter, pageOf(filter), cursors)]),
    ]),
    listRead(worker, "list: workflowId (rare), status=succeeded, none", { workflowId: rare, status: "succeeded" }, 0),
    listRead(
      worker,
      "list: trigger=manual (rare), status=succeeded, none",
      { trigger: "manual", status: "succeeded" },
      0,
    ),
    listRead(worker, "list: workflowId without executions", { workflowId: storedWorkflowId(99) }, 0),
    listRead(worker, "list: status=running, from, to, none", { ...window, status: "running" }, 0),
    { name: "one execution", read: (index) => readOne(worker, pick(ids, index)) },
  ];
}

function listRead(
  worker: EngineWorker,
  name: string,
  filter: Record<string, string>,
  expected: number,
  cursors: readonly string[] = [],
): StoredRead {
  const path = `/executions?${new URLSearchParams({ ...filter, limit: String(Math.max(expected, PAGE)) })}`;
  return {
    name,
    read: async (index) => {
      const page = cursors.length === 0 ? path : `${path}&cursor=${pick(cursors, index)}`;
      const rows = await worker.api.get(page, z.array(executionSummarySchema));
      if (rows.length !== expected) throw new Error(`${page} gave ${rows.length} executions, not ${expected}`);
    },
  };
}

async function readOne(worker: EngineWorker, id: string): Promise<void> {
  const { nodeRuns } = await worker.api.get(`/executions/${id}`, executionSchema);
  if (nodeRuns.length !== 1) throw new Error(`a stored execution has ${nodeRuns.length} node runs`);
}

/** Ids of stored executions from a part of the stored time, in no order. */
function storedIds({ database }: EngineWorker, from: number, to: number): string[] {
  const { last } = database.query<{ last: number }, []>("SELECT max(rowid) AS last FROM executions").get() ?? {
    last: 0,
  };
  const byRow = database.query<{ id: string }, [number]>("SELECT id FROM executions WHERE rowid >= ? LIMIT 1");
  const found = Array.from({ length: IDS }, (_, i) => {
    // Steps of the golden ratio: evenly spread, and never two neighbours in sequence.
    const share = from + (to - from) * ((i * 0.618_033_988_75) % 1);
    return byRow.get(Math.floor(share * last))?.id;
  });
  return found.filter((id) => id !== undefined);
}
