import { programsHere } from "../../agent/programs/here.ts";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newActivity } from "../../agent/activity.ts";
import type { Activity } from "../../agent/activity.ts";
import type { Clock } from "../../agent/clock.ts";
import type { Executor, ExecutorContext, ExecutorOutcome, ExecutorSettings } from "../../agent/executors/executor.ts";
import type { Executors } from "../../agent/executors-port.ts";
import { HeartbeatLoop } from "../../agent/heartbeat-loop.ts";
import { JobRunner } from "../../agent/job-runner.ts";
import { Journal } from "../../agent/journal/index.ts";
import { createLog } from "../../agent/log.ts";
import { Masker } from "../../agent/jobs/masker.ts";
import { syncCredential } from "../../agent/jobs/sync-credential.ts";
import { PollLoop } from "../../agent/poll-loop.ts";
import { Pulse } from "../../agent/pulse.ts";
import { ResultSender } from "../../agent/jobs/result-sender.ts";
import { createServiceClient } from "../../agent/service-client.ts";
import { ServiceLink } from "../../agent/service/link.ts";
import { targetResolver } from "../../agent/vault/resolve-target.ts";
import { Vault } from "../../agent/vault/index.ts";
import type { Job, JobResult } from "../../schema/contract/agent.ts";
import { FAKE_AGENT_KEY, FakeService } from "../support/fake-service.ts";

/** A clock that the test sets. */
export class ManualClock implements Clock {
  wallMs = Date.parse("2026-11-21T10:00:00.000Z");
  monoMs = 1_000;
  now = (): number => this.wallMs;
  monotonicMs = (): number => this.monoMs;
  advance(ms: number): void {
    this.wallMs += ms;
    this.monoMs += ms;
  }
}

/** An executor whose actions wait until the test ends them or their signal aborts. */
export class HeldExecutor implements Executor {
  readonly begun: ExecutorContext[] = [];
  /** Returned immediately, without waiting. */
  answer: ExecutorOutcome | null = null;
  /** Whether an abort ends an action, as it must. Some tests need one that does not end. */
  obeysStop = true;
  readonly #waiting = new Map<string, (outcome: ExecutorOutcome) => void>();

  readonly actions = {
    "script.bash": (context: ExecutorContext): Promise<ExecutorOutcome> => this.#run(context),
  };

  async test(context: ExecutorContext) {
    this.begun.push(context);
    return [
      { name: "connect", ok: true, detail: "connected" },
      { name: "login", ok: false, detail: "refused" },
    ];
  }

  end(jobId: string, outcome: ExecutorOutcome = { status: "succeeded", output: { stdout: "done" } }): void {
    const resolve = this.#waiting.get(jobId);
    if (resolve === undefined) throw new Error(`${jobId} is not running`);
    resolve(outcome);
  }

  timesBegun(jobId: string): number {
    return this.begun.filter((context) => context.jobId === jobId).length;
  }

  #run(context: ExecutorContext): Promise<ExecutorOutcome> {
    this.begun.push(context);
    if (this.answer !== null) return Promise.resolve(this.answer);
    return new Promise((resolve) => {
      this.#waiting.set(context.jobId, resolve);
      if (!this.obeysStop) return;
      context.signal.addEventListener("abort", () =>
        resolve({ status: "failed", output: { stdout: "so far" }, error: { code: "stopped", message: "stopped" } }),
      );
    });
  }
}

export interface PartsOptions {
  maxConcurrentJobs?: number;
  callTimeoutMs?: number;
  answerMaxBytes?: number;
  stopGraceMs?: number;
  apiUrl?: string;
  apiKey?: string;
  random?: () => number;
  pollIntervalMs?: number;
  /** Replaces `HeldExecutor`. */
  load?: Executors["load"];
  settings?: Partial<ExecutorSettings>;
}

/** The agent's parts around a fake service, with the loops left to the test: it calls `tick()`. */
export class Parts {
  readonly service: FakeService;
  readonly directory: string;
  readonly clock = new ManualClock();
  readonly executor = new HeldExecutor();
  readonly masker = new Masker();
  readonly activity: Activity = newActivity(0);
  readonly logLines: string[] = [];
  /** The link's waits between its attempts to register. */
  readonly waits: number[] = [];
  readonly pulse = new Pulse(this.clock);
  superseded = 0;
  readonly #options: PartsOptions;
  #parts: ReturnType<Parts["build"]> | undefined;

  private constructor(service: FakeService, directory: string, options: PartsOptions) {
    this.service = service;
    this.directory = directory;
    this.#options = options;
  }

  static async start(options: PartsOptions = {}): Promise<Parts> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-agent-test-"));
    await mkdir(join(directory, "state"));
    const parts = new Parts(await FakeService.start(), directory, options);
    await parts.restart();
    return parts;
  }

  /** Simulates the next process: the same files, new objects, and changed `settings`. */
  async restart(settings: Partial<ExecutorSettings> = {}): Promise<void> {
    Object.assign((this.#options.settings ??= {}), settings);
    await this.#parts?.journal.close();
    const { clock } = this;
    const log = createLog({
      level: "DEBUG",
      mask: this.masker.text,
      write: (line) => this.logLines.push(line),
      now: clock.now,
      human: false,
    });
    const journal = await Journal.open({
      path: join(this.directory, "vault.journal"),
      log,
      now: clock.now,
      newId: () => crypto.randomUUID(),
    });
    this.#parts = this.build(log, journal);
    await this.#parts.vault.ready;
  }

  get journal(): Journal {
    return this.#built.journal;
  }
  get vault(): Vault {
    return this.#built.vault;
  }
  get link(): ServiceLink {
    return this.#built.link;
  }
  get sender(): ResultSender {
    return this.#built.sender;
  }
  get runner(): JobRunner {
    return this.#built.runner;
  }

  /** The dependencies of the loops. */
  get shared() {
    return this.#built.shared;
  }

  /** Polls once. */
  poll(signal: AbortSignal = new AbortController().signal) {
    return this.#built.poll.tick(signal);
  }

  heartbeat(signal: AbortSignal = new AbortController().signal) {
    return this.#built.heartbeat.tick(signal);
  }

  /** Delivers a job with one poll and returns its result. */
  async done(job: Partial<Job>): Promise<JobResult> {
    const { id } = this.service.enqueue(job);
    await this.poll();
    await this.runner.idle();
    await this.poll();
    const [result] = this.service.resultsOf(id);
    if (result === undefined) throw new Error(`no result for ${id}`);
    return result;
  }

  /** Stops all parts. Fails when the agent violated the contract. */
  async stop({ violations = [] }: { violations?: string[] } = {}): Promise<void> {
    this.runner.stopAll("agent_shutdown");
    this.link.stop();
    await this.runner.idle();
    await this.journal.close();
    await this.service.stop();
    await rm(this.directory, { recursive: true, force: true });
    if (this.service.violations.length !== violations.length) {
      throw new Error(`the agent broke the contract: ${this.service.violations.join("; ")}`);
    }
  }

  get #built() {
    if (this.#parts === undefined) throw new Error("the parts are not started");
    return this.#parts;
  }

  private build(log: ReturnType<typeof createLog>, journal: Journal) {
    const { clock, activity, masker, executor, service, directory } = this;
    const { maxConcurrentJobs = 5, callTimeoutMs, answerMaxBytes, stopGraceMs, random = () => 0.5 } = this.#options;
    const { apiUrl = service.url, apiKey = FAKE_AGENT_KEY } = this.#options;
    const { load = async (type) => (type === "script" || type === "ssh" ? executor : null) } = this.#options;
    const settings = {
      allowPrivateNetwork: false,
      allowOsRestart: false,
      slackApiUrl: "http://127.0.0.1:9",
      stateDirectory: join(directory, "state"),
      ...this.#options.settings,
    };
    const vault = new Vault({
      path: join(directory, "vault.json"),
      apiKey,
      log,
      now: clock.now,
      onChange: () => undefined,
      onNewKeyPair: () => undefined,
      resolveTarget: targetResolver({ load }, settings, programsHere(join(directory, "state"))),
    });
    const client = createServiceClient({
      apiUrl,
      apiKey,
      ...(callTimeoutMs === undefined ? {} : { callTimeoutMs }),
      ...(answerMaxBytes === undefined ? {} : { answerMaxBytes }),
    });
    const link = new ServiceLink({
      client,
      request: () => ({
        protocol: 1,
        name: "test agent",
        version: "0.1.0",
        os: "linux",
        arch: "x64",
        capabilities: ["script"],
        features: [],
        publicKey: vault.publicKey,
        maxConcurrentJobs,
        pollIntervalSeconds: 5,
        instanceId: "instance-1",
        journalId: journal.journalId,
      }),
      activity,
      log,
      random,
      onSuperseded: () => {
        this.superseded++;
      },
      wait: async (ms) => {
        this.waits.push(ms);
      },
    });
    const sender = new ResultSender({ journal, link, activity, log, clock, random });
    const runner = new JobRunner({
      journal,
      vault,
      executors: { load, capabilities: () => [] },
      settings,
      programs: programsHere(join(directory, "state")),
      syncCredential: (job) => syncCredential(job, { vault, agentId: activity.agentId }),
      masker,
      activity,
      log,
      clock,
      onFinished: () => undefined,
      ...(stopGraceMs === undefined ? {} : { stopGraceMs }),
    });
    const shared = { link, journal, runner, sender, vault, activity, log, clock, random, pulse: this.pulse };
    return {
      journal,
      vault,
      link,
      sender,
      runner,
      shared,
      poll: new PollLoop({ ...shared, pollIntervalMs: this.#options.pollIntervalMs ?? 5_000, maxConcurrentJobs }),
      heartbeat: new HeartbeatLoop({ ...shared, heartbeatIntervalMs: 30_000 }),
    };
  }
}
