import type { z } from "zod";
import { isTerminalJob } from "../../../schema/contract/execution.ts";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { testConnectionQuerySchema } from "../../../schema/contract/management.ts";
import type { ConnectionTest, laterTestSchema } from "../../../schema/contract/management.ts";
import { firstHostIn, placeIn, targetListOf } from "../../../schema/contract/target-list.ts";
import { CONNECTION_TEST_WAIT_MS } from "../../../schema/limits.ts";
import { mayUse } from "../../domain/credential/may-use.ts";
import type { JobOrder } from "../../domain/job-order.ts";
import { allowedBy } from "../../domain/render-target.ts";
import { findConnection } from "../../store/connections.ts";
import type { ConnectionRow } from "../../store/connections.ts";
import { writeBatch } from "../../store/database.ts";
import { findJobConnections } from "../../store/job-connections.ts";
import { findJob } from "../../store/job-reads.ts";
import type { JobRow } from "../../store/job-reads.ts";
import { insertJob } from "../../store/jobs.ts";
import { record } from "../audit-record.ts";
import type { Deps } from "../deps.ts";
import { targetOf } from "../objects.ts";
import { notFound } from "../not-found.ts";
import { getJob } from "../jobs/index.ts";
import { listNotificationChannels } from "../notifications/index.ts";
import { invalidInput, parseInput } from "../parse.ts";
import { BOOTSTRAP_PERSON, personOf } from "../principal.ts";
import type { Principal } from "../principal.ts";
import { ProblemError } from "../problem.ts";
import { reach } from "../unavailable.ts";
import { outcomeOfTest } from "./outcome-of-test.ts";

const TEST_TIMEOUT_SECONDS = 60;
/** An old result is useless, so a test does not wait longer than this for an agent. */
const QUEUE_TIMEOUT_SECONDS = 600;

export type TestOutcome = { ended: ConnectionTest } | z.infer<typeof laterTestSchema>;

/**
 * Has the connection's agent test it (docs/design/connections.md#connection-tests), and waits up to 30 s for the
 * outcome; after that the job continues without the caller. Throws `conflict` when there is no agent to run the test.
 */
export async function testConnection(deps: Deps, by: Principal, id: string, query: unknown): Promise<TestOutcome> {
  const { waitSeconds, target } = parseInput(testConnectionQuerySchema, query);
  const waitMs = waitSeconds === undefined ? CONNECTION_TEST_WAIT_MS : waitSeconds * 1_000;
  const connection = await findConnection(deps.db, id);
  if (connection === null) throw notFound("connection", id);
  const onBehalfOf = testerFor(by, connection);
  // `last-test.ts` reads the details.
  const audited = (detail: JsonObject) =>
    record(deps, {
      actor: by.actor,
      verb: "test",
      subjectType: "connection",
      subjectId: id,
      detail: { name: connection.name, ...detail },
    });
  if (connection.type === "notification") {
    const ended = await testNotifications(deps);
    await writeBatch(deps.db, [audited({ ok: ended.ok })]);
    return { ended };
  }
  const tested = testedTarget(connection, target);
  const order = { ...(await orderOf(deps, connection, onBehalfOf)), ...tested };
  await writeBatch(deps.db, [insertJob(deps.db, order), audited({ jobId: order.jobId, ...tested })]);
  await reach("The test was recorded, but the agent's pool does not answer.", () =>
    deps.objects.dispatcher(order.poolObject).enqueue([order]),
  );
  const job = await waitForEnd(deps, order, order.queuedAt + waitMs);
  if (job !== null) return { ended: await outcomeOfTest(deps, job) };
  const { waitingFor } = await getJob(deps, order.jobId);
  return { jobId: order.jobId, waitingFor };
}

/** The service sends these itself, so no agent takes part. */
async function testNotifications(deps: Deps): Promise<ConnectionTest> {
  const startedAt = deps.now();
  const checks = (await listNotificationChannels(deps)).map(({ channel, configured, problems, from }) => ({
    name: `Channel ${channel}`,
    ok: configured,
    detail: configured
      ? `It is configured${from === null ? "" : `, and sends as ${from}`}.`
      : `It is not configured. ${problems.join(" ")}`,
  }));
  // A single channel is enough: people need not set up the others.
  const ok = checks.some((check) => check.ok);
  const error = ok
    ? {}
    : { error: "No channel is configured: the checks say which of the service's settings are missing." };
  const now = deps.now();
  return { ok, latencyMs: now - startedAt, testedAt: new Date(now).toISOString(), ...error, checks };
}

/**
 * The person who answers for a test: the caller, when the caller may use the connection or may say who uses it. A token
 * without an owner was made with the bootstrap token. Throws `forbidden`.
 */
function testerFor(by: Principal, { usableBy }: ConnectionRow): string | null {
  const person = personOf(by);
  if (mayUse(usableBy, { person, role: by.role })) return person;
  if (by.permissions.has("credentials:write")) return person ?? BOOTSTRAP_PERSON;
  throw new ProblemError(
    "forbidden",
    "Only people whom the connection names in usableBy may test it, and those with the permission credentials:write. Ask an administrator to add you.",
  );
}

/** The host that a test of a connection with targets goes to. Throws `invalid_request`. */
function testedTarget({ config }: ConnectionRow, given: string | undefined): Pick<JobOrder, "target"> {
  const list = targetListOf(config);
  const refuse = (message: string) => invalidInput([{ path: "target", message }]);
  if (list === null) {
    if (given === undefined) return {};
    throw refuse("has no meaning: the connection leads to one host. Leave it out");
  }
  const target = given?.trim().toLowerCase() ?? firstHostIn(list);
  if (target === null)
    throw refuse("is required: the connection has only patterns. Name a host that one of them allows");
  if (placeIn(list, target) === null) throw refuse(`is not one of the connection's hosts, ${allowedBy(list)}`);
  return { target };
}

async function orderOf(deps: Deps, connection: ConnectionRow, onBehalfOf: string | null): Promise<JobOrder> {
  const [row] = await findJobConnections(deps.db, [connection.id]);
  const target = row === undefined || row.agentDeleted ? null : targetOf(row);
  if (target === null) {
    throw new ProblemError(
      "conflict",
      "This connection has neither an agent nor a pool, so no one can test it. Assign one first.",
    );
  }
  return {
    jobId: deps.newId("job"),
    attempt: 1,
    kind: "connectionTest",
    executionId: null,
    workflowId: null,
    onBehalfOf,
    nodeRunId: null,
    action: null,
    testedType: connection.type,
    effect: "read",
    connectionId: connection.id,
    ...target,
    params: {},
    values: {},
    timeoutSeconds: TEST_TIMEOUT_SECONDS,
    queueTimeoutSeconds: QUEUE_TIMEOUT_SECONDS,
    onAgentLost: null,
    queuedAt: deps.now(),
  };
}

/** The record of an ended job; null when the job has not ended in time. */
async function waitForEnd(deps: Deps, { jobId, poolObject }: JobOrder, until: number): Promise<JobRow | null> {
  const left = Math.max(0, until - deps.now());
  await reach("The agent's pool does not answer.", () => deps.objects.dispatcher(poolObject).waitForEnd(jobId, left));
  const job = await findJob(deps.db, jobId);
  return job === null || isTerminalJob(job.status) ? job : null;
}
