import { afterAll, beforeAll, expect, test } from "bun:test";
import { z } from "zod";
import { jobSchema } from "../../schema/contract/agent.ts";
import { jobViewSchema } from "../../schema/contract/execution.ts";
import type { JsonObject } from "../../schema/contract/json.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { eventually } from "../support/eventually.ts";
import {
  acceptedId,
  call,
  createAgent,
  createConnection,
  createWebhookWorkflow,
  getExecution,
} from "../support/management.ts";
import { recorded } from "../support/wire.ts";

/** An agent of the first release, with the calls that it made: it does not know targets. */
let bellhop: Bellhop;
beforeAll(async () => {
  bellhop = await startBellhop();
});
afterAll(() => bellhop.stop());

test("an agent of protocol 1 gets no job of a connection to several hosts, and the job says why it waits", async () => {
  const poolId = "old";
  const { apiKey: key } = await createAgent(bellhop, { poolId });
  const config = { targets: ["web-*.example.org"], authType: "none" };
  const connectionId = await createConnection(bellhop, { type: "http", poolId, config });
  const node: JsonObject = {
    id: "ask",
    type: "action",
    action: "http.request",
    connectionId,
    target: "web-1.example.org",
  };
  const webhook = await createWebhookWorkflow(bellhop, { nodes: [node], edges: [] });
  const executionId = await acceptedId(await webhook.ring({ variables: {} }));
  const places: Record<string, string> = { "{{key}}": key };
  const send = async (name: string) => {
    const { request } = await recorded(1, name, places);
    const body = request.body === null ? {} : { body: JSON.stringify(request.body) };
    const { method, headers } = request;
    return (await fetch(bellhop.url + request.path, { method, headers, ...body })).json();
  };
  const registered = z.object({ data: z.object({ session: z.string() }) }).parse(await send("register"));
  places["{{session}}"] = registered.data.session;
  const jobId = await eventually(
    "the job",
    async () => (await getExecution(bellhop, executionId)).nodeRuns[0]?.jobId ?? null,
  );
  const waiting = await eventually("the reason of its wait", async () => {
    const polled = z.object({ data: z.object({ jobs: z.array(jobSchema) }) }).parse(await send("poll-with-jobs"));
    expect(polled.data.jobs).toEqual([]);
    const job = await call(bellhop, "GET", `/jobs/${jobId}`, undefined, jobViewSchema);
    return job.waiting?.code === "no_feature" ? job.waiting : null;
  });
  expect(waiting.detail).toContain("connections with several hosts");
});
