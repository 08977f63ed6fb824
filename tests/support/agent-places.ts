import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "bun:test";
import { z } from "zod";
import type { Effect } from "../../schema/contract/action.ts";
import { AGENT_API_PATH, SESSION_HEADER } from "../../schema/contract/agent.ts";
import type { Job } from "../../schema/contract/agent.ts";
import { STATUS_PHRASES, problemSchema } from "../../schema/contract/problem.ts";
import { AgentClient } from "./agent-client.ts";
import { startBellhop } from "./bellhop.ts";
import type { Bellhop } from "./bellhop.ts";
import { FAKE_ENROLMENT_CODE } from "./fake-enrolment.ts";
import { FAKE_AGENT_KEY, FakeService } from "./fake-service.ts";
import { call, createAgent, createConnection } from "./management.ts";
import { enqueueJob, dispatcherObject } from "./dispatcher-object.ts";
import { WakeServer } from "./wake-server.ts";

/** Runs the same cases against the fake service and the real one; each case has its own agent. */
export function atBothServices(cases: (here: AgentHere) => void): void {
  let bellhop: Bellhop;
  beforeAll(async () => {
    bellhop = await startBellhop();
  });
  afterAll(async () => {
    await bellhop?.stop();
  });
  const open = { fake: fakePlace, real: () => realPlace(bellhop) };
  describe.each(["fake", "real"] as const)("the %s service", (which) => {
    const here = new AgentHere();
    beforeEach(async () => here.arrive(await open[which]()));
    afterEach(() => here.place.stop());
    cases(here);
  });
}

/** One agent's place at a service, real or fake: its key, and the actions of other parties on it. */
interface AgentPlace {
  readonly url: string;
  readonly key: string;
  readonly agentId: string;
  /** Queues a job for this agent; returns the job's id. */
  enqueue(effect?: Effect): Promise<string>;
  cancel(jobId: string): Promise<void>;
  setEnabled(enabled: boolean): Promise<void>;
  /** A code for the agent, which has not registered yet. */
  newEnrolmentCode(): Promise<string>;
  stop(): Promise<void>;
}

let jobs = 0;

async function fakePlace(): Promise<AgentPlace> {
  const service = await FakeService.start();
  const front = new WakeServer({ service });
  return {
    url: front.url,
    key: FAKE_AGENT_KEY,
    agentId: service.agentId,
    enqueue: async (effect = "unsafe") => service.enqueue({ effect }).id,
    cancel: async (jobId) => service.cancel(jobId),
    setEnabled: async (enabled) => {
      service.enabled = enabled;
    },
    newEnrolmentCode: async () => FAKE_ENROLMENT_CODE,
    stop: async () => {
      await front.stop();
      await service.stop();
    },
  };
}

/** An agent without a pool. */
async function realPlace(bellhop: Bellhop): Promise<AgentPlace> {
  const { agent, apiKey } = await createAgent(bellhop);
  const object = `agent:${agent.id}`;
  const connectionId = await createConnection(bellhop, { type: "script", agentId: agent.id });
  return {
    url: bellhop.url,
    key: apiKey,
    agentId: agent.id,
    enqueue: async (effect = "unsafe") => {
      const jobId = `place_${++jobs}`;
      await enqueueJob(bellhop, jobId, { effect, connectionId, poolObject: object, pinnedAgentId: agent.id });
      return jobId;
    },
    cancel: async (jobId) => (await dispatcherObject(bellhop, object)).cancel([jobId]),
    setEnabled: async (enabled) => {
      const verb = enabled ? "enable" : "disable";
      const { status } = await bellhop.api("POST", `/api/v1/automation/agents/${agent.id}/${verb}`);
      if (status !== 200) throw new Error(`changing the agent was answered ${status}`);
    },
    newEnrolmentCode: async () => {
      const path = `/agents/${agent.id}/enrolment`;
      return (await call(bellhop, "POST", path, undefined, z.object({ code: z.string() }))).code;
    },
    stop: async () => {},
  };
}

/** The place of the running case, with a process of its agent. */
class AgentHere {
  #arrived: { place: AgentPlace; agent: AgentClient } | null = null;

  arrive(place: AgentPlace): void {
    this.#arrived = { place, agent: new AgentClient(place, place.key) };
  }

  get place(): AgentPlace {
    return this.#here.place;
  }

  get agent(): AgentClient {
    return this.#here.agent;
  }

  /** Another process of the agent, which registers. */
  async otherProcess(): Promise<AgentClient> {
    const other = new AgentClient(this.place, this.place.key);
    await other.register();
    return other;
  }

  /** Does the same; the new process is the agent of this place from now on. */
  async restartAgent(): Promise<void> {
    this.#here.agent = await this.otherProcess();
  }

  /** Delivers a job to the agent. */
  async delivered(effect?: Effect): Promise<Job> {
    const id = await this.place.enqueue(effect);
    const job = (await this.agent.poll()).jobs.find((one) => one.id === id);
    if (job === undefined) throw new Error(`job ${id} was not delivered`);
    return job;
  }

  /** Sends a body that may be invalid JSON. */
  post(path: string, body: string, contentType = "application/json"): Promise<Response> {
    const { key, session } = this.agent;
    return fetch(`${this.place.url}${AGENT_API_PATH}${path}`, {
      method: "POST",
      body,
      headers: { Authorization: `Bearer ${key}`, [SESSION_HEADER]: session ?? "", "Content-Type": contentType },
    });
  }

  get #here() {
    if (this.#arrived === null) throw new Error("no case runs");
    return this.#arrived;
  }
}

/** The answer's problem; fails for any other answer. */
export async function expectProblem(answer: Response | Promise<Response>, status: number, code: string) {
  const response = await answer;
  const { headers } = response;
  const problem = problemSchema.strict().parse(await response.json());
  expect([response.status, headers.get("Content-Type"), headers.get("Cache-Control")]).toEqual([
    status,
    "application/problem+json",
    "no-store",
  ]);
  expect(problem).toMatchObject({ status, code, requestId: expect.any(String) });
  expect([problem.title, problem.instance]).toEqual([TITLES[status] ?? "", new URL(response.url).pathname]);
  return problem;
}

const TITLES: Partial<Record<number, string>> = STATUS_PHRASES;
