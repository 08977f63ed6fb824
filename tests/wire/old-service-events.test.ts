import { afterEach, beforeEach, expect, test } from "bun:test";
import { z } from "zod";
import { AgentHome } from "../agent/agent-process.ts";
import { eventually } from "../support/eventually.ts";

/**
 * The rare responses of a service of protocol 1, sent to today's executable. Every value is a literal, as the first
 * release's service writes it: values of the contract would change with it.
 */
let home: AgentHome;
let service: OldService;
beforeEach(async () => {
  home = await AgentHome.make();
  service = new OldService();
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const resultSchema = z.looseObject({ jobId: z.string(), lease: z.string(), status: z.string(), output: z.json() });
type Result = z.infer<typeof resultSchema>;
const bodySchema = z.looseObject({ results: z.array(resultSchema).optional(), held: z.array(z.string()).optional() });
type Refusal = { status: number; code: string };

class OldService {
  readonly seen: string[] = [];
  readonly results: Result[] = [];
  /** Each job is given once, by the next poll. */
  readonly jobs: unknown[] = [];
  /** The cancelled jobs, by the call that returns them. */
  cancelled: Record<string, unknown[]> = {};
  /** The acks of results in order; the last one is repeated. */
  acks = ["accepted"];
  /** A refusal that replaces the call's next response, once. */
  readonly refusals = new Map<string, Refusal>();
  readonly #sockets = new Set<Bun.ServerWebSocket<undefined>>();
  readonly #server: Bun.Server<undefined>;

  constructor() {
    this.#server = Bun.serve<undefined>({
      hostname: "127.0.0.1",
      port: 0,
      idleTimeout: 0,
      fetch: async (request, server) => {
        const name = `${request.method} ${new URL(request.url).pathname.replace("/api/v1/agent", "")}`;
        if (name === "GET /wake" && server.upgrade(request)) return undefined;
        const text = await request.text();
        this.seen.push(name);
        return this.#answer(name, text === "" ? {} : bodySchema.parse(JSON.parse(text)));
      },
      websocket: {
        idleTimeout: 0,
        open: (socket) => void this.#sockets.add(socket),
        close: (socket) => void this.#sockets.delete(socket),
        message: (socket, message) => void (message === "ping" && socket.send("pong")),
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  times(name: string): number {
    return this.seen.filter((seen) => seen === name).length;
  }

  async wake(): Promise<void> {
    const [socket] = await eventually("the wake socket", () => this.#sockets.size > 0 && [...this.#sockets]);
    socket?.send("poll");
  }

  result(jobId: string): Promise<Result> {
    return eventually(`the result of ${jobId}`, () => this.results.find((result) => result.jobId === jobId));
  }

  stop(): Promise<void> {
    return this.#server.stop(true);
  }

  #answer(name: string, { results = [] }: z.infer<typeof bodySchema>): Response {
    const refusal = this.refusals.get(name);
    this.refusals.delete(name);
    if (refusal !== undefined) {
      const { status, code } = refusal;
      const headers = { "content-type": "application/problem+json" };
      return Response.json({ type: "about:blank", title: code, status, detail: code, code }, { status, headers });
    }
    this.results.push(...results);
    const ack = results.length > 0 && this.acks.length > 1 ? this.acks.shift() : this.acks[0];
    const answers: Record<string, unknown> = {
      "POST /register": { agentId: "agt_1", poolId: "web", enabled: true, session: "a-session" },
      "GET /jobs": { jobs: name === "GET /jobs" ? this.jobs.splice(0) : [], cancelled: this.cancelled[name] ?? [] },
      "POST /results": { acks: results.map(({ jobId, lease }) => ({ jobId, lease, ack })) },
      "POST /heartbeat": { enabled: true, cancelled: this.cancelled[name] ?? [] },
      "POST /offline": {},
    };
    return Response.json({ success: true, data: answers[name] }, { status: answers[name] === undefined ? 404 : 200 });
  }
}

function job(id: string, changes: Record<string, unknown>) {
  return {
    id,
    kind: "action",
    lease: `lease-of-${id}`,
    action: "script.bash",
    effect: "unsafe",
    connection: { id: "con_1", type: "script", config: {} },
    params: { script: "true" },
    values: {},
    timeoutSeconds: 300,
    startWithinSeconds: 60,
    attempt: 1,
    ...changes,
  };
}

test.each(["POST /heartbeat", "GET /jobs"])(
  "today's agent ends the job that an old service's %s cancels",
  async (call) => {
    service.jobs.push(job("job_long", { params: { script: "sleep 300" } }));
    await home.start(service.url);
    await eventually("the agent to get the job", () => service.jobs.length === 0);
    service.cancelled = { [call]: [{ jobId: "job_long", lease: "lease-of-job_long" }] };
    expect((await service.result("job_long")).status).toBe("cancelled");
  },
);

test("today's agent tests a connection for an old service, and stores a credential or says why not", async () => {
  service.jobs.push(
    job("job_test", { kind: "connectionTest", action: null, effect: "read" }),
    job("job_sync", {
      kind: "credentialSync",
      action: null,
      effect: "idempotent",
      connection: { id: "con_2", type: "ssh", config: { host: "10.0.0.1", username: "robot", authMethod: "password" } },
      params: { state: "present", version: 1, jwe: "not.a.j.w.e" },
    }),
    job("job_gone", {
      kind: "credentialSync",
      action: null,
      effect: "idempotent",
      connection: { id: "con_3", type: "ssh", config: {} },
      params: { state: "absent", version: 2 },
    }),
  );
  await home.start(service.url);
  const tested = await service.result("job_test");
  expect(tested).toMatchObject({ status: "succeeded", output: { ok: true, latencyMs: expect.any(Number) } });
  expect(await service.result("job_sync")).toMatchObject({ status: "failed" });
  expect(await service.result("job_gone")).toMatchObject({ status: "succeeded" });
});

test("today's agent repeats a result when an old service answers retry, and not afterwards", async () => {
  service.acks = ["retry", "accepted"];
  service.jobs.push(job("job_short", {}));
  await home.start(service.url);
  await eventually("the result twice", () => service.results.length === 2);
  const polls = service.times("GET /jobs");
  await eventually("further polls", () => service.times("GET /jobs") > polls + 3);
  expect(service.results.map(({ jobId, status }) => [jobId, status])).toEqual([
    ["job_short", "succeeded"],
    ["job_short", "succeeded"],
  ]);
});

test("today's agent registers again when an old service ends its session, and stops when superseded", async () => {
  const agent = await home.start(service.url);
  await eventually("a poll", () => service.times("GET /jobs") > 0);
  service.refusals.set("GET /jobs", { status: 409, code: "register_again" });
  await eventually("another registration", () => service.times("POST /register") === 2);
  service.refusals.set("GET /jobs", { status: 409, code: "superseded" });
  expect(await agent.exited).toBe(76);
});

test("today's agent polls when an old service wakes it", async () => {
  // The next regular poll would come in an hour.
  await home.start(service.url, { env: { POLL_INTERVAL: "3600" } });
  // Each new connection causes a poll, because a wake may have been missed.
  await eventually("the poll after the socket was opened", () => service.times("GET /jobs") === 2);
  service.jobs.push(job("job_woken", {}));
  await service.wake();
  expect((await service.result("job_woken")).status).toBe("succeeded");
});
