import { afterEach, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { createServiceClient } from "../../agent/service-client.ts";
import type { ServiceClient } from "../../agent/service-client.ts";
import { FAKE_AGENT_KEY } from "../support/fake-service.ts";

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

const ANSWER = JSON.stringify({ success: true, data: null });
const WHOLE = `HTTP/1.1 200 OK\r\nContent-Length: ${ANSWER.length}\r\n\r\n${ANSWER}`;

/** A service that answers this many requests of each connection and resets the connection at the next one. */
async function resettingAfter(answers: number): Promise<{ requests: () => number; client: ServiceClient }> {
  let requests = 0;
  const listening = createServer((socket) => {
    let left = answers;
    socket.on("error", () => undefined);
    socket.on("data", () => {
      requests += 1;
      if (left-- > 0) socket.write(WHOLE);
      else socket.resetAndDestroy();
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  const client = createServiceClient({ apiUrl: `http://127.0.0.1:${port}`, apiKey: FAKE_AGENT_KEY });
  return { requests: () => requests, client };
}

test("a call is repeated at once when the service closes the reused connection", async () => {
  const { requests, client } = await resettingAfter(1);
  for (let calls = 0; calls < 3; calls += 1) await client.offline("session", []);
  // Of the second and the third call, the first attempt was reset.
  expect(requests()).toBe(5);
});

test("a call that is reset twice fails as unreachable", async () => {
  const { requests, client } = await resettingAfter(0);
  await expect(client.offline("session", [])).rejects.toMatchObject({ failure: "unreachable" });
  expect(requests()).toBe(2);
});
