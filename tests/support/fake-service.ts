import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import {
  AGENT_API_PATH,
  AGENT_PROTOCOL,
  heartbeatRequestSchema,
  heldEntrySchema,
  jobResultSchema,
  offlineRequestSchema,
  parseHeld,
  registerRequestSchema,
  SESSION_HEADER,
} from "../../schema/contract/agent.ts";
import type { Ack, HeartbeatRequest, Job, JobResult, LeaseRef, RegisterRequest } from "../../schema/contract/agent.ts";
import { bodyOf, cutting, refuse, send } from "./fake-service-http.ts";

export const FAKE_AGENT_KEY = `bhTestAgent1_${"s3cretKeyPart".repeat(4).slice(0, 43)}`;

type Route = "register" | "jobs" | "results" | "heartbeat" | "offline";

export interface SeenCall {
  route: Route;
  method: string;
  query: URLSearchParams;
  body: unknown;
  at: number;
}

/**
 * What to do to the next call of a route instead of answering it: `lose_answer` does the work and then cuts the
 * connection; `hang` never answers; a function writes what it likes.
 */
export type Fault = "lose_answer" | "hang" | ((request: IncomingMessage, response: ServerResponse) => void);

interface HeldJob {
  job: Job;
  state: "queued" | "assigned" | "finished";
}

/**
 * The service's side of the agent contract over real HTTP, as strict as it can be: every header and field is checked,
 * unknown fields are refused, leases are fenced, and what an agent does wrong is listed in `violations`.
 */
export class FakeService {
  readonly calls: SeenCall[] = [];
  readonly violations: string[] = [];
  readonly registrations: RegisterRequest[] = [];
  readonly heartbeats: HeartbeatRequest[] = [];
  readonly offline: { held: string[] }[] = [];
  /** Every result that came in, with what it was answered. */
  readonly results: (JobResult & { ack: Ack })[] = [];
  readonly agentId = "agt_fake";
  enabled = true;
  /** What the answers to polls allow an idle agent; a service allows it only while the wake socket is open. */
  pollAfterSeconds: () => number | null = () => null;
  /** Answers for results instead of the right ones. */
  forceAck: Ack | null = null;
  /** Added to the answers of GET /jobs as they are, once. */
  readonly rawJobs: unknown[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #jobs = new Map<string, HeldJob>();
  readonly #faults: { route: Route; fault: Fault }[] = [];
  readonly #before: { route: Route; run: () => void }[] = [];
  readonly #cancelled: LeaseRef[] = [];
  #session: string | null = null;
  #maxConcurrentJobs = 1;
  #refusal: "superseded" | "register_again" | null = null;
  #count = 0;

  static async start(): Promise<FakeService> {
    const service = new FakeService();
    await new Promise<void>((resolve) => service.#server.listen(0, "127.0.0.1", resolve));
    return service;
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the fake service does not listen");
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Puts a job into the queue; it gets its lease when it is delivered. */
  enqueue(job: Partial<Job> = {}): Job {
    const id = job.id ?? `job_${++this.#count}`;
    const full: Job = {
      id,
      kind: "action",
      lease: "",
      action: "script.bash",
      effect: "unsafe",
      connection: { id: "con_1", type: "script", config: {} },
      params: { script: "true" },
      values: {},
      timeoutSeconds: 60,
      startWithinSeconds: 60,
      attempt: 1,
      ...job,
    };
    this.#jobs.set(id, { job: full, state: "queued" });
    return full;
  }

  /** Delivers a job once more, under a new lease: as after an agent that was offline. */
  assignAnew(jobId: string, changes: Partial<Job> = {}): void {
    const held = this.#known(jobId);
    held.job = { ...held.job, ...changes };
    held.state = "queued";
  }

  /** Forgets that it had the result: the same lease is delivered again when the agent does not hold it. */
  forgetResult(jobId: string): void {
    this.#known(jobId).state = "assigned";
  }

  /** The job as it would be delivered now. */
  jobOf(jobId: string): Job {
    return this.#known(jobId).job;
  }

  /** Changes a queued job into anything, also into what is no job at all. */
  change(jobId: string, changes: object): void {
    Object.assign(this.#known(jobId).job, changes);
  }

  leaseOf(jobId: string): string {
    return this.#known(jobId).job.lease;
  }

  cancel(jobId: string, lease = this.leaseOf(jobId)): void {
    this.#cancelled.push({ jobId, lease });
  }

  /** The next call of a route meets this. Several queue up. */
  fault(route: Route, fault: Fault): void {
    this.#faults.push({ route, fault });
  }

  refuseOnce(route: Route, status: number, code: string, headers: Record<string, string> = {}): void {
    this.fault(route, (_request, response) => refuse(response, status, code, { headers }));
  }

  /** Runs once, while the next call of the route is under way. */
  beforeAnswer(route: Route, run: () => void): void {
    this.#before.push({ route, run });
  }

  /** Every call under a session is refused with this until the agent registers again. */
  refuseSession(code: "superseded" | "register_again"): void {
    this.#refusal = code;
  }

  callsTo(route: Route): SeenCall[] {
    return this.calls.filter((call) => call.route === route);
  }

  resultsOf(jobId: string): (JobResult & { ack: Ack })[] {
    return this.results.filter((result) => result.jobId === jobId);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    const route = routeOf(url.pathname);
    const body = await bodyOf(request);
    if (route === null) return refuse(response, 404, "not_found", { detail: `no such path: ${url.pathname}` });
    this.calls.push({ route, method: request.method ?? "", query: url.searchParams, body, at: performance.now() });
    takeFirst(this.#before, route)?.run();
    const fault = takeFirst(this.#faults, route)?.fault;
    if (fault === "hang") return;
    if (typeof fault === "function") return fault(request, response);
    this.#answer(route, request, url, body, fault === "lose_answer" ? cutting(response) : response);
  }

  #answer(route: Route, request: IncomingMessage, url: URL, body: unknown, response: ServerResponse): void {
    if (request.headers.authorization !== `Bearer ${FAKE_AGENT_KEY}`) {
      return refuse(response, 401, "unauthorized", { detail: "the agent key is not known" });
    }
    const expectedMethod = route === "jobs" ? "GET" : "POST";
    if (request.method !== expectedMethod) return this.#violation(response, `${route}: method ${request.method}`);
    if (expectedMethod === "POST" && request.headers["content-type"] !== "application/json") {
      return this.#violation(response, `${route}: content type ${request.headers["content-type"]}`);
    }
    if (route === "register") return this.#register(body, response);
    if (this.#refusal !== null) return refuse(response, 409, this.#refusal, { detail: "as the test asked" });
    if (this.#session === null || request.headers[SESSION_HEADER.toLowerCase()] !== this.#session) {
      return refuse(response, 409, "register_again", { detail: "the session is not known" });
    }
    switch (route) {
      case "jobs":
        return this.#deliver(url.searchParams, response);
      case "results":
        return this.#takeResults(body, response);
      case "heartbeat": {
        const heartbeat = z.strictObject(heartbeatRequestSchema.shape).safeParse(body);
        if (!heartbeat.success) return this.#violation(response, `heartbeat: ${heartbeat.error.message}`);
        this.heartbeats.push(heartbeat.data);
        return send(response, { enabled: this.enabled, cancelled: this.#cancelled.splice(0) });
      }
      case "offline": {
        const offline = z.strictObject(offlineRequestSchema.shape).safeParse(body);
        if (!offline.success) return this.#violation(response, `offline: ${offline.error.message}`);
        this.offline.push(offline.data);
        return send(response, {});
      }
    }
  }

  #register(body: unknown, response: ServerResponse): void {
    const registration = z.strictObject(registerRequestSchema.shape).safeParse(body);
    if (!registration.success) return this.#violation(response, `register: ${registration.error.message}`);
    if (registration.data.protocol !== AGENT_PROTOCOL) return this.#violation(response, "register: protocol");
    this.registrations.push(registration.data);
    this.#session = `session-${this.registrations.length}-${crypto.randomUUID()}`;
    this.#maxConcurrentJobs = registration.data.maxConcurrentJobs;
    this.#refusal = null;
    send(response, { agentId: this.agentId, poolId: null, enabled: this.enabled, session: this.#session });
  }

  #deliver(query: URLSearchParams, response: ServerResponse): void {
    const capacity = Number(query.get("capacity"));
    const held = (query.get("held") ?? "").split(",").filter((entry) => entry !== "");
    if (query.get("capacity") === null || !Number.isInteger(capacity) || capacity < 0) {
      return this.#violation(response, `jobs: capacity ${query.get("capacity")}`);
    }
    const bad = held.find((entry) => !heldEntrySchema.safeParse(entry).success);
    if (bad !== undefined) return this.#violation(response, `jobs: held ${bad}`);
    const heldLeases = new Set(held.map((entry) => parseHeld(entry).lease));
    const jobs: unknown[] = this.rawJobs.splice(0);
    let room = Math.min(capacity, this.#maxConcurrentJobs - heldLeases.size);
    for (const entry of this.#jobs.values()) {
      if (entry.state === "assigned" && !heldLeases.has(entry.job.lease)) jobs.push(entry.job);
      if (entry.state !== "queued" || room <= 0 || !this.enabled) continue;
      room--;
      entry.job = { ...entry.job, lease: `lease${++this.#count}` };
      entry.state = "assigned";
      jobs.push(entry.job);
    }
    const pollAfterSeconds = this.pollAfterSeconds() ?? undefined;
    send(response, { jobs, cancelled: this.#cancelled.splice(0), pollAfterSeconds });
  }

  #takeResults(body: unknown, response: ServerResponse): void {
    const schema = z.strictObject({ results: z.array(z.strictObject(jobResultSchema.shape)).min(1) });
    const parsed = schema.safeParse(body);
    if (!parsed.success) return this.#violation(response, `results: ${parsed.error.message}`);
    const acks = parsed.data.results.map((result) => {
      const ack = this.forceAck ?? this.#settle(result);
      this.results.push({ ...result, ack });
      return { jobId: result.jobId, lease: result.lease, ack };
    });
    send(response, { acks });
  }

  #settle({ jobId, lease }: JobResult): Ack {
    const held = this.#jobs.get(jobId);
    if (held === undefined) return "unknown";
    if (held.job.lease !== lease) return "stale";
    if (held.state === "finished") return "duplicate";
    held.state = "finished";
    return "accepted";
  }

  #known(jobId: string): HeldJob {
    const held = this.#jobs.get(jobId);
    if (held === undefined) throw new Error(`no such job: ${jobId}`);
    return held;
  }

  #violation(response: ServerResponse, what: string): void {
    this.violations.push(what);
    refuse(response, 400, "invalid_request", { detail: what });
  }
}

function takeFirst<T extends { route: Route }>(list: T[], route: Route): T | undefined {
  const index = list.findIndex((planned) => planned.route === route);
  return index === -1 ? undefined : list.splice(index, 1)[0];
}

function routeOf(path: string): Route | null {
  const routes: Route[] = ["register", "jobs", "results", "heartbeat", "offline"];
  return routes.find((route) => path === `${AGENT_API_PATH}/${route}`) ?? null;
}
