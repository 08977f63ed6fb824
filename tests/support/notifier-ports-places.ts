import { eq } from "drizzle-orm";
import { migrateDatabase } from "../../scripts/migrate-database.ts";
import { jobs } from "../../schema/tables/index.ts";
import { createNotifierPorts } from "../../worker/actors/notifier/ports.ts";
import type { NotifierPorts } from "../../worker/actors/notifier/ports.ts";
import type { ChannelAnswer } from "../../worker/domain/notification/answer.ts";
import type { JobOrder } from "../../worker/domain/job-order.ts";
import type { AttemptControl } from "../../worker/services/notifications/prepared.ts";
import type { AttemptLimits } from "../../worker/services/notifications/send-once.ts";
import { jobRow } from "../../worker/store/jobs.ts";
import { startTestLibsql } from "./libsql.ts";
import { NotifierHarness } from "./notifier-harness.ts";
import { testDeps, workflowRunsThat } from "./test-deps.ts";

/** One attempt whose channel the test controls. */
export interface OpenAttempt {
  readonly finished: readonly string[];
  readonly answered: Promise<ChannelAnswer>;
  handOver(): Promise<unknown>;
  answer(answer: ChannelAnswer): void;
}

/** The surroundings of a Notifier, in a test's lists or in libSQL. */
export interface NotifierPlace {
  readonly ports: NotifierPorts;
  begin(finished: readonly string[], limits: AttemptLimits): Promise<OpenAttempt>;
  /** Lets this much time pass for attempts and waits. */
  pass(ms: number): Promise<void>;
  /** The order of a valid notification. */
  order(jobId: string, changes?: Partial<JobOrder>): JobOrder;
  addJob(order: JobOrder): Promise<void>;
  loseRuns(): void;
  endOf(jobId: string): Promise<string | undefined>;
  stop(): Promise<void>;
}

const PARAMS = { channel: "webhook", to: "https://example.com/alerts", message: "hello" };

export async function fakeNotifierPorts(): Promise<NotifierPlace> {
  const harness = new NotifierHarness();
  harness.reply = () => null;
  const ports = harness.ports();
  return {
    ports,
    begin: async (finished, limits) => {
      const target = { channel: "webhook", to: ["job"] } as const;
      const send = () => Promise.reject(new Error("the harness answers instead"));
      const answered = ports.send({ target, send }, new Set(finished), limits);
      const [one] = harness.attempts.slice(-1);
      if (one === undefined) throw new Error("no attempt has begun");
      return { finished: one.finished, answered, handOver: () => one.handOver(), answer: one.answer };
    },
    pass: (ms) => harness.advance(ms),
    order: (jobId, changes) => harness.order(jobId, changes),
    addJob: async () => {},
    loseRuns: () => {
      harness.runAway = true;
    },
    endOf: async (jobId) => harness.report(jobId)?.status,
    stop: async () => {},
  };
}

export async function realNotifierPorts(): Promise<NotifierPlace> {
  const libsql = await startTestLibsql();
  await migrateDatabase({ url: libsql.server.url });
  const ended = new Map<string, string>();
  let runsAreLost = false;
  const jobFinished = async (_executionId: string, report: { jobId: string; status: string }) => {
    if (runsAreLost) throw new Error("the run does not answer");
    if (!ended.has(report.jobId)) ended.set(report.jobId, report.status);
  };
  const settings = { NOTIFY_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString("base64")}` };
  const deps = testDeps(libsql.server.url, { settings, workflowRuns: () => workflowRunsThat({ jobFinished }) });
  const ports = createNotifierPorts(deps);
  return {
    ports,
    begin: async (finished, limits) => {
      const channel = Promise.withResolvers<ChannelAnswer>();
      const begun = Promise.withResolvers<{ finished: readonly string[]; attempt: AttemptControl }>();
      const answered = ports.send(
        {
          target: { channel: "webhook", to: ["job"] },
          send: (already, attempt) => {
            begun.resolve({ finished: [...already], attempt });
            return channel.promise;
          },
        },
        new Set(finished),
        limits,
      );
      const { attempt, ...seen } = await begun.promise;
      return { ...seen, answered, handOver: () => attempt.noteHandover(), answer: channel.resolve };
    },
    pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    order: (jobId, changes) => new NotifierHarness().order(jobId, { params: PARAMS, ...changes }),
    addJob: async (job) => {
      await deps.db.insert(jobs).values(jobRow(job));
    },
    loseRuns: () => {
      runsAreLost = true;
    },
    endOf: async (jobId) => {
      const [row] = await deps.db.select().from(jobs).where(eq(jobs.id, jobId));
      return ended.get(jobId) ?? (row?.status === "queued" ? undefined : row?.status);
    },
    stop: () => libsql.dispose(),
  };
}
