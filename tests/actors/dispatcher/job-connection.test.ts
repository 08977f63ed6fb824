import { expect, test } from "bun:test";
import { judgeConnection } from "../../../worker/actors/dispatcher/rules/job-connection.ts";
import type { ConnectionVerdict, JobConnection } from "../../../worker/actors/dispatcher/rules/job-connection.ts";
import { queueJob } from "../../../worker/actors/dispatcher/rules/job.ts";
import type { JobFacts } from "../../../worker/actors/dispatcher/rules/job.ts";
import { POOL, connection, order } from "../../support/dispatcher-harness.ts";

const RUNS: ConnectionVerdict = { type: "run", pinnedAgentId: null, needsCredential: false };
const ends = (end: Extract<ConnectionVerdict, { type: "end" }>["end"]): ConnectionVerdict => ({ type: "end", end });

test.each<[string, Partial<JobFacts>, Partial<JobConnection> | null, ConnectionVerdict]>([
  ["unchanged", {}, {}, RUNS],
  ["gone", {}, null, ends("connection_deleted")],
  ["disabled", {}, { enabled: false }, ends("connection_disabled")],
  ["disabled, for a connection test", { kind: "connectionTest" }, { enabled: false }, RUNS],
  ["without an agent and a pool", {}, { target: null }, ends("connection_unassigned")],
  ["at its approved target", { approvedTargets: { con_1: "here" } }, { approvedTarget: () => "here" }, RUNS],
  [
    "at another target than the approved one",
    { approvedTargets: { con_1: "here" } },
    { approvedTarget: () => "there" },
    { type: "end", end: "approval_outdated", why: "The connection is con_1." },
  ],
  [
    "new since the approval",
    { approvedTargets: { con_1: "" } },
    { approvedTarget: () => "here" },
    { type: "end", end: "approval_outdated", why: "The connection is con_1." },
  ],
  ["assigned to a deleted agent", {}, { agentDeleted: true }, ends("agent_deleted")],
  [
    "assigned to another pool",
    {},
    { target: { poolObject: "pool:db", pinnedAgentId: null } },
    { type: "reroute", poolObject: "pool:db", pinnedAgentId: null },
  ],
  [
    "assigned to another pool, for a job that no execution can order again",
    { kind: "connectionTest", executionId: null },
    { target: { poolObject: "pool:db", pinnedAgentId: null } },
    ends("connection_moved"),
  ],
  [
    "assigned to another agent in the same pool",
    { pinnedAgentId: "agt_1" },
    { target: { poolObject: POOL, pinnedAgentId: "agt_2" } },
    { type: "run", pinnedAgentId: "agt_2", needsCredential: false },
  ],
  [
    "one that needs a credential",
    {},
    { type: "ssh", config: { host: "h", port: 22, username: "u", authMethod: "password" } },
    { type: "run", pinnedAgentId: null, needsCredential: true },
  ],
  [
    "one that needs a credential, for a connection test: the agent reports that it has none",
    { kind: "connectionTest" },
    { type: "ssh", config: { host: "h", port: 22, username: "u", authMethod: "password" } },
    RUNS,
  ],
  [
    "HTTP without authentication",
    {},
    { type: "http", config: { baseUrl: "https://example.org", authType: "none", timeoutSeconds: 30, verifySsl: true } },
    RUNS,
  ],
  ["one with a configuration that this version does not know", {}, { type: "ssh", config: { old: true } }, RUNS],
  [
    "one with an optional credential that was delivered",
    {},
    { type: "kubernetes", config: { namespace: "default" }, hasCredential: true },
    { ...RUNS, needsCredential: true },
  ],
])("the dispatcher decides on a job whose connection is %s", (_case, facts, changes, expected) => {
  const job = queueJob(order("job_1"));
  const found = changes === null ? null : connection("con_1", changes);
  expect(judgeConnection({ ...job.facts, ...facts }, found)).toEqual(expected);
});
