import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { z } from "zod";
import {
  AGENT_API_PATH,
  enrolRequestSchema,
  heartbeatRequestSchema,
  jobsQuerySchema,
  offlineRequestSchema,
  parseHeld,
  registerRequestSchema,
  resultsRequestSchema,
  SESSION_HEADER,
} from "../../schema/contract/agent.ts";
import type { Ack, HeartbeatRequest, JobResult, LeaseRef, RegisterRequest } from "../../schema/contract/agent.ts";
import { POLL_AFTER_SECONDS_DEFAULT } from "../../schema/limits.ts";
import { PROBLEM_STATUS } from "../../schema/contract/problem.ts";
import { invalid, readBody } from "./fake-service-body.ts";
import type { Body, PostRoute } from "./fake-service-body.ts";
import { FakeEnrolment } from "./fake-enrolment.ts";
import { UNAUTHORIZED, answerRefusal, bodyOf, cutting, refuse, send } from "./fake-service-http.ts";
import type { Refusal } from "./fake-service-http.ts";
import { FakeServiceJobs } from "./fake-service-jobs.ts";

export const FAKE_AGENT_KEY = `bhTestAgent1_${"s3cretKeyPart".repeat(4).slice(0, 43)}`;
interface Answer {
  data: object;
  headers?: Record<string, string>;
}
/** The facts behind a session. */
interface Session {
  instanceId: string;
  /** The agent's setting when the session was issued. */
  enabled: boolean;
}
type Route = "jobs" | PostRoute;

export interface SeenCall {
  route: Route;
  method: string;
  query: URLSearchParams;
  body: unknown;
  at: number;
}

/**
 * A fault in place of the next answer of a route: `lose_answer` does the work and then cuts the connection; `hang`
 * never answers; a function writes any answer.
 */
export type Fault = "lose_answer" | "hang" | ((request: IncomingMessage, response: ServerResponse) => void);

/**
 * The service's side of the agent contract over real HTTP, as strict as possible: every header and field is checked,
 * leases are fenced, and an agent's mistakes are listed in `violations`, including unknown fields.
 * `tests/agent/endpoints-conformance.test.ts` compares it with the real service.
 */
export class FakeService extends FakeServiceJobs {
  readonly calls: SeenCall[] = [];
  readonly violations: string[] = [];
  readonly registrations: RegisterRequest[] = [];
  readonly heartbeats: HeartbeatRequest[] = [];
  readonly offline: { held: string[] }[] = [];
  /** Every received result with its answer. */
  readonly results: (JobResult & { ack: Ack })[] = [];
  readonly agentId = "agt_fake";
  key = FAKE_AGENT_KEY;
  /**
   * The interval that polls' answers allow an idle agent; a real service allows it only while the wake socket is open.
   */
  pollAfterSeconds: () => number | null = () => (this.wake?.isOpen() === true ? POLL_AFTER_SECONDS_DEFAULT : null);
  readonly #enrolment = new FakeEnrolment();
  /** Replaces the correct answers to results. */
  forceAck: Ack | null = null;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #faults: { route: Route; fault: Fault }[] = [];
  readonly #before: { route: Route; run: () => void }[] = [];
  readonly #sessions = new Map<string, Session>();
  #instanceId: string | null = null;
  #refusal: "superseded" | "register_again" | null = null;

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

  /** Sets a fault for the next call of a route. Several faults queue up. */
  fault(route: Route, fault: Fault): void {
    this.#faults.push({ route, fault });
  }

  refuseOnce(route: Route, status: number, code: string, headers: Record<string, string> = {}): void {
    this.fault(route, (_request, response) => refuse(response, status, code, { headers }));
  }

  /** Runs once, during the next call of the route. */
  beforeAnswer(route: Route, run: () => void): void {
    this.#before.push({ route, run });
  }

  /** Refuses every call under a session with this code until the agent registers again. */
  refuseSession(code: "superseded" | "register_again"): void {
    this.#refusal = code;
  }

  callsTo(route: Route): SeenCall[] {
    return this.calls.filter((call) => call.route === route);
  }

  resultsOf(jobId: string): (JobResult & { ack: Ack })[] {
    return this.results.filter((result) => result.jobId === jobId);
  }

  /** Why this request opens no wake socket; null when it opens one. */
  refusalOfWake(headers: Headers): Refusal | null {
    if (headers.get("Upgrade")?.toLowerCase() !== "websocket") {
      return { code: "invalid_request", detail: "this address takes WebSocket connections" };
    }
    const admitted = this.#admit(headers.get("Authorization"), headers.get(SESSION_HEADER));
    return "code" in admitted ? admitted : this.#refusalOf(admitted);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://fake");
    const route = routeOf(url.pathname);
    const body = await bodyOf(request);
    if (route === null) {
      return answerRefusal(response, { code: "not_found", detail: "there is nothing at this address" }, url.pathname);
    }
    const { json } = body;
    this.calls.push({
      route,
      method: request.method ?? "",
      query: url.searchParams,
      body: json,
      at: performance.now(),
    });
    takeFirst(this.#before, route)?.run();
    const fault = takeFirst(this.#faults, route)?.fault;
    if (fault === "hang") return;
    if (typeof fault === "function") return fault(request, response);
    const answered = this.#answer(route, request, url, body);
    if ("code" in answered) {
      if (answered.code !== "unauthorized" && ![409, 410].includes(PROBLEM_STATUS[answered.code])) {
        this.violations.push(`${route}: ${answered.detail}`);
      }
      return answerRefusal(response, answered, url.pathname);
    }
    for (const [name, value] of Object.entries(answered.headers ?? {})) response.setHeader(name, value);
    send(fault === "lose_answer" ? cutting(response) : response, answered.data);
  }

  /** In the service's order: the method, the key and the session, the body, and then whether the session is served. */
  #answer(route: Route, request: IncomingMessage, url: URL, body: Body): Answer | Refusal {
    const method = route === "jobs" ? "GET" : "POST";
    if (request.method !== method) {
      const headers = { Allow: method === "GET" ? "GET, HEAD" : method };
      return { code: "method_not_allowed", detail: `method ${request.method}`, headers };
    }
    const { authorization } = request.headers;
    if (route === "enrol") {
      return this.#read(route, request, body, enrolRequestSchema, ({ code }) =>
        this.#enrolment.exchange(code, this.key),
      );
    }
    if (route === "register") {
      if (authorization !== `Bearer ${this.key}`) return UNAUTHORIZED;
      return this.#read(route, request, body, registerRequestSchema, (data) => this.#register(data));
    }
    const admitted = this.#admit(authorization ?? null, request.headers[SESSION_HEADER.toLowerCase()]);
    if ("code" in admitted) return admitted;
    const served = (work: () => object): Answer | Refusal =>
      this.#refusalOf(admitted) ?? { data: work(), headers: this.#renewal(admitted) };
    switch (route) {
      case "jobs": {
        const query = jobsQuerySchema.safeParse(firstOf(url.searchParams));
        if (!query.success) return invalid(query.error);
        return served(() => this.#deliver(query.data.capacity, query.data.held.map(parseHeld)));
      }
      case "results":
        return this.#read(route, request, body, resultsRequestSchema, ({ results }) =>
          served(() => this.#takeResults(results)),
        );
      case "heartbeat":
        return this.#read(route, request, body, heartbeatRequestSchema, (heartbeat) =>
          served(() => this.#takeHeartbeat(heartbeat)),
        );
      case "offline":
        return this.#read(route, request, body, offlineRequestSchema, (offline) =>
          served(() => {
            this.offline.push(offline);
            this.isOffline = true;
            return {};
          }),
        );
    }
  }

  /** An unknown field is a violation, but not refused. */
  #read<T>(
    route: PostRoute,
    request: IncomingMessage,
    body: Body,
    schema: z.ZodType<T>,
    then: (data: T) => Answer | Refusal,
  ): Answer | Refusal {
    const read = readBody(route, request.headers["content-type"], body, schema);
    if ("code" in read) return read;
    if (read.unknownFields !== null) this.violations.push(`${route}: ${read.unknownFields}`);
    return then(read.data);
  }

  #admit(authorization: string | null, session: string | string[] | undefined | null): Session | Refusal {
    if (authorization !== `Bearer ${this.key}`) return UNAUTHORIZED;
    const known = typeof session === "string" ? this.#sessions.get(session) : undefined;
    return known ?? { code: "register_again", detail: "the session is not known" };
  }

  /** Only the process that registered last is served. */
  #refusalOf({ instanceId }: Session): Refusal | null {
    if (this.#refusal !== null) return { code: this.#refusal, detail: "as the test asked" };
    if (instanceId === this.#instanceId) return null;
    return { code: "superseded", detail: "another process registered later" };
  }

  /** A session from before a change of the agent's settings gets a newer one in the answer. */
  #renewal({ instanceId, enabled }: Session): Record<string, string> {
    return enabled === this.enabled ? {} : { [SESSION_HEADER]: this.#newSession(instanceId) };
  }

  #newSession(instanceId: string): string {
    const session = `session-${this.#sessions.size + 1}-${crypto.randomUUID()}`;
    this.#sessions.set(session, { instanceId, enabled: this.enabled });
    return session;
  }

  #register(registration: RegisterRequest): Answer {
    this.registrations.push(registration);
    const { instanceId, maxConcurrentJobs } = registration;
    if (instanceId !== this.#instanceId) {
      this.isDraining = false;
      this.wake?.end();
    }
    this.#instanceId = instanceId;
    this.isOffline = false;
    this.maxConcurrentJobs = maxConcurrentJobs;
    this.#refusal = null;
    const session = this.#newSession(instanceId);
    return { data: { agentId: this.agentId, poolId: null, enabled: this.enabled, session } };
  }

  #deliver(capacity: number, held: LeaseRef[]) {
    const jobs = this.deliver(capacity, held);
    return { jobs, cancelled: this.cancelledAmong(held), pollAfterSeconds: this.pollAfterSeconds() ?? undefined };
  }

  #takeHeartbeat(heartbeat: HeartbeatRequest) {
    this.heartbeats.push(heartbeat);
    const held = heartbeat.held.map(parseHeld);
    this.isOffline = false;
    this.noteHeld(held);
    if (heartbeat.draining === true) this.drain(held);
    return { enabled: this.enabled, cancelled: this.cancelledAmong(held) };
  }

  #takeResults(results: JobResult[]) {
    const acks = results.map((result) => {
      const ack = this.forceAck ?? this.settle(result);
      this.results.push({ ...result, ack });
      return { jobId: result.jobId, lease: result.lease, ack };
    });
    return { acks };
  }
}

function takeFirst<T extends { route: Route }>(list: T[], route: Route): T | undefined {
  const index = list.findIndex((planned) => planned.route === route);
  return index === -1 ? undefined : list.splice(index, 1)[0];
}

/** The first value of a repeated parameter counts. */
function firstOf(query: URLSearchParams): Record<string, string | null> {
  return Object.fromEntries([...query.keys()].map((name) => [name, query.get(name)]));
}

function routeOf(path: string): Route | null {
  const routes: Route[] = ["enrol", "register", "jobs", "results", "heartbeat", "offline"];
  return routes.find((route) => path === `${AGENT_API_PATH}/${route}`) ?? null;
}
