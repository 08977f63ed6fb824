import { afterEach, expect, test } from "bun:test";
import { createServiceClient } from "../../agent/service-client.ts";
import { SESSION_HEADER } from "../../schema/contract/agent.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";

let server: ReturnType<typeof Bun.serve> | undefined;
afterEach(() => server?.stop(true));

const IDLE = { capacity: 1, held: [] };

/**
 * A service that answers each poll with the next of `answers` as renewed session, and records the sessions it was sent.
 */
function service(answers: (string | null)[]) {
  const sent: (string | null)[] = [];
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      sent.push(request.headers.get(SESSION_HEADER));
      const renewed = answers.shift() ?? null;
      return Response.json(
        { success: true, data: { jobs: [], cancelled: [] } },
        { headers: renewed === null ? {} : { [SESSION_HEADER]: renewed } },
      );
    },
  });
  return { sent, client: createServiceClient({ apiUrl: `http://127.0.0.1:${server.port}`, apiKey: FAKE_AGENT_KEY }) };
}

test("a renewed session in an answer replaces the earlier one in later calls", async () => {
  const { sent, client } = service([null, "second", null, "third"]);
  for (let polls = 0; polls < 5; polls += 1) await client.jobs("first", IDLE);
  expect(sent).toEqual(["first", "first", "second", "second", "third"]);
});

test("the session of a new registration is sent even if the earlier one was renewed", async () => {
  const { sent, client } = service(["second"]);
  await client.jobs("first", IDLE);
  await client.jobs("registered again", IDLE);
  expect(sent).toEqual(["first", "registered again"]);
});

test("a renewed session that is too long is ignored", async () => {
  const { sent, client } = service(["s".repeat(1_025)]);
  for (let polls = 0; polls < 2; polls += 1) await client.jobs("first", IDLE);
  expect(sent).toEqual(["first", "first"]);
});
