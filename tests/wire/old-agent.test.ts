import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { z } from "zod";
import { jobSchema } from "../../schema/contract/agent.ts";
import type { JsonValue } from "../../schema/contract/json.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import { acceptedId, createAgent, createConnection, createWebhookWorkflow, ended } from "../support/management.ts";
import { missing, recorded, withUnknownFields } from "../support/wire.ts";
import type { Exchange } from "../support/wire.ts";

/**
 * Calls that an agent of the first release made, recorded and sent to today's service with other ids, keys and times. A
 * service is updated before its agents, which must continue. `tests/wire/protocol-1/` is never edited; what a later
 * version adds gets its own folder.
 */
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

const answerSchema = z.object({ data: z.object({ session: z.string() }) });
const jobsSchema = z.object({ data: z.object({ jobs: z.array(jobSchema) }) });
const JOB = "job_01a1fe7d-f065-7c81-9155-82cc7d788939";
const LEASE = "c2a7afb01d2da90cf694335fab14f1b5";

async function send({ request }: Exchange): Promise<{ status: number; body: JsonValue }> {
  const { method, path, headers, body } = request;
  const response = await fetch(bellhop.url + path, {
    method,
    headers,
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: z.json().parse(await response.json()) };
}

/** Sends the request and expects every field of the old service's response in today's response. */
async function replay(exchange: Exchange): Promise<JsonValue> {
  const { status, body } = await send(exchange);
  expect([exchange.request.path, status, missing(exchange.answer.body, body)]).toEqual([
    exchange.request.path,
    exchange.answer.status,
    [],
  ]);
  return body;
}

describe.each([
  ["as recorded", (exchange: Exchange) => exchange],
  [
    "with unknown fields",
    ({ request, answer }: Exchange) => ({ request: { ...request, body: withUnknownFields(request.body) }, answer }),
  ],
])("an agent of protocol 1, %s", (_how, changed) => {
  const poolId = `pool-${changed.length}-${_how.length}`;

  test("registers, polls, runs, reports and deregisters, and its job's end arrives", async () => {
    const { apiKey: key } = await createAgent(bellhop, { poolId });
    const connectionId = await createConnection(bellhop, { type: "script", poolId });
    // The agent is older than named values, and would not get a job with them.
    const params = { script: 'echo "hello {{webhook.name}}"' };
    const webhook = await createWebhookWorkflow(bellhop, {
      nodes: [{ id: "run", type: "action", action: "script.bash", connectionId, params }],
      edges: [],
    });
    const executionId = await acceptedId(await webhook.ring({ variables: { name: "world" } }));
    const places: Record<string, string> = { "{{key}}": key };
    const play = async (name: string) => replay(changed(await recorded(1, name, places)));

    places["{{session}}"] = answerSchema.parse(await play("register")).data.session;
    // Polls are empty until the job has reached the pool.
    const job = await eventually("the job", async () => {
      const { body } = await send(await recorded(1, "poll-with-jobs", places));
      return jobsSchema.parse(body).data.jobs[0];
    });
    places[JOB] = job.id;
    places[LEASE] = job.lease;
    // This poll does not list the job as held, so it is delivered again with the same lease.
    const again = jobsSchema.parse(await play("poll-with-jobs")).data.jobs;
    expect(again.map(({ id, lease }) => ({ id, lease }))).toEqual([{ id: job.id, lease: job.lease }]);
    expect(job.params).toEqual({ script: 'echo "hello world"' });
    expect(job.values).toEqual({});

    await play("poll-holding");
    await play("heartbeat");
    const { body: acked } = await send(changed(await recorded(1, "results-succeeded", places)));
    const { answer } = await recorded(1, "results-succeeded", places);
    expect(acked).toMatchObject(z.record(z.string(), z.json()).parse(answer.body));
    expect((await ended(bellhop, executionId)).status).toBe("succeeded");
    await play("offline");
  });
});

describe("an unsupported protocol is refused with the supported versions", () => {
  test.each([
    [2, "Update the service first, or run an older release of the agent."],
    [0, "Update the agent."],
  ])("version %p", async (protocol, advice) => {
    const { apiKey } = await createAgent(bellhop);
    const { request, answer } = await recorded(1, "register", { "{{key}}": apiKey });
    // The rest is not of protocol 1 either: only the version is reported.
    const refused = await send({ request: { ...request, body: { protocol, somethingElse: true } }, answer });
    expect(refused.status).toBe(400);
    const problem = problemSchema.parse(refused.body);
    expect(problem.code).toBe("invalid_request");
    expect(problem.detail).toBe(
      `This service speaks version 1 of the agent protocol, and the agent asks for ${protocol}. ${advice}`,
    );
    expect(problem.errors).toEqual([{ path: "protocol", message: "must be one of 1" }]);
  });

  test.each([[null], ["1"], [undefined]])("an invalid version: %p", async (protocol) => {
    const { apiKey } = await createAgent(bellhop);
    const { request, answer } = await recorded(1, "register", { "{{key}}": apiKey });
    const body = { ...z.record(z.string(), z.json()).parse(request.body) };
    if (protocol === undefined) delete body["protocol"];
    else body["protocol"] = protocol;
    const refused = await send({ request: { ...request, body }, answer });
    expect(refused.status).toBe(400);
    expect(problemSchema.parse(refused.body).errors?.map(({ path }) => path)).toEqual(["protocol"]);
  });
});
