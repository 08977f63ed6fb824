import { afterEach, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import type { JsonValue } from "../../schema/contract/json.ts";
import { AgentHome } from "../agent/agent-process.ts";
import { eventually } from "../support/eventually.ts";
import { missing, recorded, withUnknownFields } from "../support/wire.ts";
import type { Exchange } from "../support/wire.ts";

/** Today's executable with the responses of a first release's service: an agent may be newer than its service. */
let home: AgentHome;
beforeEach(async () => {
  home = await AgentHome.make();
});
afterEach(() => home.remove());

const resultsSchema = z.object({
  results: z.array(z.object({ jobId: z.string(), lease: z.string(), status: z.string(), output: z.json() })),
});

interface Seen {
  name: string;
  body: JsonValue;
}

/** Returns the recorded responses: one job with the first poll, none later, and a 404 for later endpoints. */
async function startOldService(changed: (body: JsonValue) => JsonValue) {
  const session = { "{{session}}": "a-session" };
  const exchanges: Record<string, Exchange> = {
    "POST /register": await recorded(1, "register", session),
    "GET /jobs": await recorded(1, "poll-with-jobs", session),
    "POST /results": await recorded(1, "results-succeeded", session),
    "POST /heartbeat": await recorded(1, "heartbeat", session),
    "POST /offline": await recorded(1, "offline", session),
  };
  const empty = await recorded(1, "poll-holding", session);
  const seen: Seen[] = [];
  const wrong: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const name = `${request.method} ${new URL(request.url).pathname.replace("/api/v1/agent", "")}`;
      const text = await request.text();
      const body = text === "" ? null : z.json().parse(JSON.parse(text));
      const exchange = exchanges[name];
      if (exchange === undefined) return Response.json({ code: "not_found", detail: "nothing here" }, { status: 404 });
      const isFirst = !seen.some((call) => call.name === name);
      seen.push({ name, body });
      // The recorded heartbeat came while a job ran.
      wrong.push(...missing(exchange.request.body, body, name).filter((what) => !what.endsWith(".held is empty")));
      const { answer } = name === "GET /jobs" && !isFirst ? empty : exchange;
      return Response.json(changed(answer.body), { status: answer.status });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, seen, wrong, stop: () => server.stop(true) };
}

test.each([
  ["as recorded", (body: JsonValue) => body],
  ["with unknown fields", withUnknownFields],
])("today's agent works with the responses of a service of protocol 1, %s", async (_how, changed) => {
  const service = await startOldService(changed);
  try {
    const agent = await home.start(service.url);
    const calls = (name: string) => service.seen.filter((call) => call.name === name);
    const [reported] = await eventually("the result", () => {
      const found = calls("POST /results");
      return found.length > 0 && found;
    });
    const [result] = resultsSchema.parse(reported?.body).results;
    expect(result).toMatchObject({
      jobId: "job_01a1fe7d-f065-7c81-9155-82cc7d788939",
      lease: "c2a7afb01d2da90cf694335fab14f1b5",
      status: "succeeded",
      output: { stdout: "hello world\n", exitCode: 0 },
    });
    await eventually("a heartbeat", () => calls("POST /heartbeat").length > 0);
    const polls = calls("GET /jobs").length;
    // The agent asked for a wake socket, got a 404, and continues to poll.
    await eventually("further polls", () => calls("GET /jobs").length > polls + 3);
    agent.kill("SIGTERM");
    expect(await agent.exited).toBe(0);
    expect(calls("POST /offline")).toHaveLength(1);
    expect(calls("POST /register")).toHaveLength(1);
    expect(service.wrong).toEqual([]);
  } finally {
    await service.stop();
  }
});
