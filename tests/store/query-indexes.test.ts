import { expect, test } from "bun:test";
import { forgottenKeys, nextInTurn, olderRuns, openRuns } from "../../worker/store/open-runs.ts";
import * as api from "../../schema/contract/api/retention.ts";
import { findWanted, listUses, reserveUses } from "../../worker/store/limit-uses.ts";
import { executionsOfEvents, openBatch } from "../../worker/store/batched-events.ts";
import * as facts from "../../worker/store/alert-facts.ts";
import { readEnded } from "../../worker/store/ended-executions.ts";
import type { Database } from "../../worker/store/database.ts";
import { countDue, dueExecutions } from "../../worker/store/retention-due.ts";
import { readEnds } from "../../worker/store/retention-figures.ts";
import { dueAt } from "../../worker/services/retention/periods.ts";
import {
  countFailures,
  countRunning,
  findAskingRuns,
  findFailingWorkflows,
  findOldJobs,
  findOldestRunning,
  findSwitchedOff,
  findUrgentIncidents,
} from "../../worker/store/overview.ts";
import { unfinishedWindows } from "../../worker/store/maintenance-windows.ts";
import { claimUnreported } from "../../worker/store/unreported-failures.ts";
import { withdrawnRuns } from "../../worker/store/withdrawn-runs.ts";
import { planOf } from "../support/query-plan.ts";
import { endedHolds, findAsked, leftSuppressed, listSuppressed } from "../../worker/store/suppressed-executions.ts";

/** Every open console reads the overview a few times a minute: no query may read all rows of a table that grows. */
const key = { workflowId: "wf_1", concurrencyKey: "a" };
const ofKey = (index: string) => `SEARCH executions USING ${index} (workflow_id=? AND concurrency_key=?)`;
const BEGUN = ofKey("INDEX executions_begun_by_key");
const OPEN = ofKey("COVERING INDEX executions_open_by_key");
const due = dueAt(api.setRetention.example, Date.now());
/** One seek for each workflow, deleted or not, and each status. */
const ENDED_ROOTS = ["ended", "failed"].flatMap(() => [
  "SEARCH e USING INDEX executions_ended_roots (workflow_id=? AND status=? AND finished_at>? AND finished_at<?)",
  "SCAN deleted_workflows",
  "SEARCH e USING INDEX executions_ended_roots (workflow_id=? AND status=? AND finished_at>? AND finished_at<?)",
]);
const since = { at: 0, id: "exe_0" };
/** Those of one test of a connection. */
const CHECKS = "SCAN json_each VIRTUAL TABLE INDEX 3:";

/** There is one row for each workflow, or only for each execution that has not begun. */
const SORTED: ReadonlySet<string> = new Set(["failing workflows", "runs that wait although nothing starts them"]);

test.each<[string, (database: Database) => PromiseLike<unknown>, string[]]>([
  [
    "open runs with a key, the next and the older ones",
    (database) =>
      Promise.allSettled([openRuns(database, key), nextInTurn(database, key), olderRuns(database, key, "exe_1", 10)]),
    // One row is read at most: there may be thousands, each with a large trigger.
    [BEGUN, ofKey("INDEX executions_held"), OPEN, BEGUN, OPEN, OPEN.replace(")", " AND id<?)")],
  ],
  [
    "keys without a turn",
    (database) => forgottenKeys(database, 10),
    [
      "SCAN executions USING INDEX executions_held",
      "SEARCH begun USING INDEX executions_begun_by_key (workflow_id=? AND concurrency_key=?)",
    ],
  ],
  [
    "uses of a limit",
    (database) => listUses(database, "lim_1", 0, 501),
    ["SEARCH limit_uses USING INDEX limit_uses_of_group (group_id=? AND at>?)"],
  ],
  [
    "the open window of a key",
    (database) => openBatch(database, "wf_1", "a"),
    [
      "SEARCH executions USING INDEX executions_collecting (workflow_id=? AND <expr>=?)",
      "SEARCH batched_events USING INDEX sqlite_autoindex_batched_events_1 (execution_id=?) LEFT-JOIN",
    ],
  ],
  [
    "executions of events",
    (database) => executionsOfEvents(database, "wf_1", ["evt_1"]),
    [
      "COMPOUND QUERY",
      "LEFT-MOST SUBQUERY",
      "SEARCH executions USING INDEX executions_trigger_key (workflow_id=? AND trigger_key=?)",
      "UNION ALL",
      "SEARCH batched_events USING INDEX batched_events_trigger_key (trigger_key=? AND workflow_id=?)",
    ],
  ],
  [
    "runs that a maintenance window no longer holds",
    (database) => endedHolds(database, 1, { afterId: "exe_1", limit: 200 }),
    [
      "SEARCH executions USING INDEX executions_in_maintenance (id>?)",
      "SEARCH w USING INDEX sqlite_autoindex_maintenance_windows_1 (id=?)",
    ],
  ],
  [
    "runs that wait although nothing starts them",
    (database) => withdrawnRuns(database, { afterId: "exe_1", limit: 200 }),
    [
      "SEARCH executions USING INDEX executions_held (workflow_id=?)",
      "SCAN e USING INDEX executions_held",
      "SCAN held",
    ],
  ],
  [
    "what a maintenance window suppressed",
    (database) => listSuppressed(database, "mwn_1", { beforeId: "exe_1", limit: 51 }),
    [
      "SEARCH executions USING INDEX executions_suppressed (<expr>=? AND id<?)",
      "SEARCH e USING INDEX executions_trigger_key (workflow_id=? AND trigger_key=?)",
    ],
  ],
  [
    "what is left of it",
    (database) => leftSuppressed(database, "mwn_1", { afterId: "exe_1", limit: 51 }),
    ["SEARCH executions USING INDEX executions_suppressed (<expr>=? AND id>?)"],
  ],
  [
    "unfinished maintenance windows",
    (database) => unfinishedWindows(database, 1, 100),
    ["SEARCH maintenance_windows USING INDEX maintenance_windows_by_end (ends_at>?)"],
  ],
  [
    "failures whose workflows may not have started",
    (database) => claimUnreported(database, 1, 20),
    [
      "SEARCH unreported_failures USING INDEX unreported_failures_by_time (not_before<?)",
      "SEARCH executions USING INDEX sqlite_autoindex_executions_1 (id=?)",
      "SEARCH executions USING INDEX sqlite_autoindex_executions_1 (id=?)",
    ],
  ],
  [
    "waiting approvals",
    (database) => findAskingRuns(database, 26),
    ["SEARCH node_runs USING INDEX node_runs_asking (queued_at>?)"],
  ],
  [
    "urgent incidents",
    (database) => findUrgentIncidents(database, 26),
    ["SEARCH incidents USING INDEX incidents_urgent (severity=?)"],
  ],
  [
    "old jobs",
    (database) => findOldJobs(database, 1, 500),
    [
      "SEARCH jobs USING INDEX jobs_unconfirmed (status=? AND confirmed_at=? AND queued_at<?)",
      "SEARCH jobs USING INDEX jobs_unconfirmed (status=? AND confirmed_at>?)",
    ],
  ],
  [
    "failing workflows",
    (database) => findFailingWorkflows(database, since, 101),
    ["SEARCH f USING INDEX executions_by_workflow_and_status (workflow_id=? AND status=? AND id>?)"],
  ],
  [
    "failures of a workflow",
    (database) => countFailures(database, ["wf_1"], since, 1_000),
    ["SEARCH f USING INDEX executions_by_workflow_and_status (workflow_id=? AND status=? AND id>?)"],
  ],
  [
    "switched-off workflows",
    (database) => findSwitchedOff(database, 101),
    ["SEARCH workflows USING INDEX workflows_switched_off (auto_disabled_at>?)"],
  ],
  [
    "failed executions for notification rules",
    (database) => facts.findFailedRuns(database, { at: 1, id: "exe_1" }, 500),
    [
      "SEARCH executions USING INDEX executions_failed_roots (status=? AND (finished_at,id)>(?,?))",
      "SEARCH f USING INDEX executions_ended_roots (workflow_id=? AND status=? AND finished_at>? AND finished_at<?)",
      "SEARCH s USING INDEX executions_ended_roots (workflow_id=? AND status=? AND finished_at>? AND finished_at<?)",
      "SEARCH f USING INDEX executions_ended_by_key (workflow_id=? AND concurrency_key=? AND status=? AND finished_at>? AND finished_at<?)",
    ],
  ],
  [
    "their failed steps",
    (database) => facts.findFailedNodes(database, ["exe_1"], 200),
    ["SEARCH node_runs USING INDEX node_runs_of_execution (execution_id=?)"],
  ],
  [
    "last successes",
    (database) => facts.findLastSuccesses(database, [{ workflowId: "wf_1", key: "a" }]),
    [
      "SEARCH s USING INDEX executions_ended_by_key (workflow_id=? AND concurrency_key=? AND status=? AND finished_at>?)",
    ],
  ],
  [
    "newly switched-off workflows",
    (database) => facts.findSwitchedOffAfter(database, { at: 1, id: "wf_1" }, 500),
    ["SEARCH workflows USING INDEX workflows_switched_off (auto_disabled_at>?)"],
  ],
  [
    "credentials that did not arrive",
    (database) => facts.findLostCredentials(database, { at: 1, id: "" }, 500),
    [
      "SEARCH credentials USING INDEX credentials_due (status=? AND updated_at>?)",
      "SEARCH credentials USING INDEX credentials_due (status=? AND updated_at>?)",
    ],
  ],
  [
    "logins that a target refused",
    (database) => facts.findRefusedLogins(database, { at: 1, id: "job_1" }, 500),
    ["SEARCH jobs USING INDEX jobs_about_logins ((reported_at,id)>(?,?))", CHECKS, CHECKS],
  ],
  [
    "newly waiting approvals",
    (database) => facts.findAskingAfter(database, { at: 1, id: "run_1" }, 500),
    ["SEARCH node_runs USING INDEX node_runs_asking ((queued_at,id)>(?,?))"],
  ],
  [
    "runs that a window asks about",
    (database) => findAsked(database, 26),
    ["SCAN executions USING INDEX executions_asked"],
  ],
  [
    "live runs",
    (database) => findOldestRunning(database, 26),
    ["SEARCH executions USING INDEX executions_by_status (status=?)"],
  ],
  [
    "the number of runs",
    (database) => countRunning(database, 1_000),
    ["SEARCH executions USING COVERING INDEX executions_by_status (status=?)"],
  ],
  [
    "due rows",
    (database) => countDue(database, due, 100),
    [
      ...ENDED_ROOTS,
      "SEARCH c USING INDEX executions_by_parent_execution (parent_execution_id=?)",
      "SEARCH incidents USING INDEX incidents_by_status (status=? AND id<?)",
      "SEARCH audit_log USING COVERING INDEX sqlite_autoindex_audit_log_1 (id<?)",
      "SEARCH missed_runs USING COVERING INDEX missed_runs_by_time (recorded_at<?)",
      "SEARCH integration_deliveries USING COVERING INDEX integration_deliveries_by_time (at<?)",
      "SEARCH stale_results USING COVERING INDEX stale_results_by_time (received_at<?)",
    ],
  ],
  ["executions to delete", (database) => dueExecutions(database, due, 100), ENDED_ROOTS],
  [
    "the spans of ended executions",
    (database) => readEnded(database, ["exe_1", "exe_2"], 100),
    [
      "SEARCH executions USING INDEX sqlite_autoindex_executions_1 (id=?)",
      "SEARCH node_runs USING INDEX node_runs_of_execution (execution_id=?)",
    ],
  ],
  ["the oldest records", (database) => readEnds(database), []],
])("%s are found by an index, in its order", async (name, query, expected) => {
  const plan = await planOf(query);
  expect(plan.filter((step) => expected.includes(step))).toEqual(expected);
  if (!SORTED.has(name)) expect(plan).not.toContain("USE TEMP B-TREE FOR ORDER BY");
  const scans = plan.filter((step) => /^SCAN (?!workflows|tree|asked|CONSTANT|\()/u.test(step));
  expect(scans.filter((step) => !expected.includes(step))).toEqual([]);
});

const use = { groupId: "lim_1", key: "", executionId: "exe_1" };
test.each<[string, (database: Database) => PromiseLike<unknown>, boolean]>([
  ["reserves", (database) => reserveUses(database, [use], 0), true],
  // The second read follows the answer to the first.
  ["explains", (database) => findWanted(database, [use], 0, 6), false],
])("a limit %s uses by indexes alone", async (_does, query, countsUses) => {
  const uses = (await planOf(query)).filter((step) => /^(?:SEARCH|SCAN) (?:own|u|g)\b/u.test(step));
  expect([...new Set(uses.map((step) => step.replace(/ LEFT-JOIN$/u, "")))].toSorted()).toEqual([
    "SEARCH g USING INDEX sqlite_autoindex_limit_groups_1 (id=?)",
    "SEARCH own USING COVERING INDEX sqlite_autoindex_limit_uses_1 (group_id=? AND key=? AND execution_id=?)",
    ...(countsUses
      ? [
          expect.stringMatching(
            /^SEARCH u USING (?:COVERING )?INDEX limit_uses_of_key \(group_id=\? AND key=\? AND at>\?\)$/u,
          ),
        ]
      : []),
  ]);
});
