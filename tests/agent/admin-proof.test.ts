import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { startAdminServer } from "../../agent/admin-server.ts";
import type { AdminServer } from "../../agent/admin-server.ts";
import { AdminConnection } from "../../agent/admin/connection.ts";
import { NotProven } from "../../agent/admin/not-proven.ts";
import { answerTo, challenge, PROOF_PATH } from "../../agent/admin/proof.ts";
import { EXIT } from "../../agent/exit-codes.ts";
import { ADMIN_REQUESTS_PER_MINUTE } from "../../schema/limits.ts";
import { ManualClock } from "./parts.ts";

const TOKEN = "admin-token-for-tests-0123456789";
const ENDS = { agent: "127.0.0.1:9191", client: "127.0.0.1:50000" };
const OPTIONS = { token: TOKEN, ends: ENDS };

describe("a challenge", () => {
  test("is answered by an agent with the same token on the same connection", () => {
    const asked = challenge(OPTIONS);
    expect(asked.isAnsweredBy(answerTo(asked.header, OPTIONS) ?? "")).toBe(true);
  });

  test.each([
    ["with another token", { ...OPTIONS, token: `${TOKEN}x` }],
    ["by an agent on another port", { ...OPTIONS, ends: { ...ENDS, agent: "127.0.0.1:9192" } }],
    ["over another connection", { ...OPTIONS, ends: { ...ENDS, client: "127.0.0.1:50001" } }],
    ["from another loopback address", { ...OPTIONS, ends: { ...ENDS, client: "127.0.0.2:50000" } }],
  ])("is not answered %s, and an answer made there is refused", (_what, others) => {
    const asked = challenge(OPTIONS);
    expect(answerTo(asked.header, others)).toBeNull();
    expect(asked.isAnsweredBy(answerTo(challenge(others).header, others) ?? "")).toBe(false);
  });

  test("accepts neither its own proof nor the answer to another challenge", () => {
    const asked = challenge(OPTIONS);
    const [, own = ""] = asked.header.split(".");
    expect(asked.isAnsweredBy(own)).toBe(false);
    expect(asked.isAnsweredBy(answerTo(challenge(OPTIONS).header, OPTIONS) ?? "")).toBe(false);
  });

  const spoiled: [string, (header: string) => string][] = [
    ["a nonce of the wrong length", (header) => header.replace("BellhopProof ", "BellhopProof A")],
    ["a nonce in non-canonical base64url", (header) => header.replace(/.\./u, "B.")],
    ["a nonce in base64", (header) => header.replace(/ ../u, " +/")],
    ["the wrong scheme", (header) => header.replace("BellhopProof", "Bearer")],
    ["no proof", (header) => header.replace(/\..*/u, "")],
    ["text after the proof", (header) => `${header} x`],
  ];
  test.each(spoiled)("with %s is not answered", (_what, spoil) => {
    expect(answerTo(spoil(challenge(OPTIONS).header), OPTIONS)).toBeNull();
  });
});

describe("the admin API", () => {
  let server: AdminServer;
  beforeEach(() => {
    server = start(0);
  });
  afterEach(() => server.stop());

  const start = (port: number) =>
    startAdminServer({
      port,
      token: TOKEN,
      clock: new ManualClock(),
      log: { debug() {}, info() {}, warning() {}, error() {} },
      status: () => ({ name: "test agent" }),
      metrics: () => "",
      credentials: {
        ready: Promise.resolve(),
        list: () => [],
        put: () => Promise.reject(new Error("not used")),
        resolve: () => Promise.resolve(null),
        bind: () => Promise.resolve(null),
        remove: () => Promise.resolve(false),
      },
    });
  const open = (token = TOKEN) => AdminConnection.open({ url: server.url, token, timeoutMs: 10_000 });
  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: unknown) => error,
    );

  test("proves that it has the token, and takes requests on the same connection", async () => {
    const connection = await open();
    const answer = { status: 200, body: { success: true, data: { name: "test agent" } } };
    expect(await connection.send("GET", "/v1/status")).toEqual(answer);
    expect(await connection.send("GET", "/v1/status")).toEqual(answer);
    connection.close();
  });

  test("proves nothing to a client with another token", async () => {
    const error = await refusal(open(`${TOKEN}x`));
    expect(error).toBeInstanceOf(NotProven);
    expect(error).toHaveProperty("exitCode", EXIT.notAllowed);
  });

  test("does not answer wrong proofs, limits them to 60 a minute, and goes on answering right ones", async () => {
    const wrong = () => fetch(`${server.url}${PROOF_PATH}`, { headers: { Authorization: challenge(OPTIONS).header } });
    for (let index = 0; index < ADMIN_REQUESTS_PER_MINUTE; index++) expect((await wrong()).status).toBe(403);
    expect((await wrong()).status).toBe(429);
    const connection = await open();
    expect((await connection.send("GET", "/v1/status")).status).toBe(200);
    connection.close();
  });

  test("does not count a right proof as a request", async () => {
    for (let index = 0; index <= ADMIN_REQUESTS_PER_MINUTE; index++) (await open()).close();
    const connection = await open();
    expect((await connection.send("GET", "/v1/status")).status).toBe(200);
    connection.close();
  });

  test("closes its connections when it stops, so the next listener on its port gets no request", async () => {
    const connection = await open();
    await server.stop();
    const asked: string[] = [];
    const { port } = new URL(server.url);
    const next = Bun.serve({
      port: Number(port),
      hostname: "127.0.0.1",
      fetch: ({ url }) => new Response(String(asked.push(url))),
    });
    try {
      expect(await refusal(connection.send("GET", "/v1/status"))).toBeInstanceOf(NotProven);
      expect(await refusal(connection.send("PUT", "/v1/credentials/con_1", {}))).toBeInstanceOf(NotProven);
      expect(asked).toEqual([]);
    } finally {
      await next.stop(true);
    }
  });
});
