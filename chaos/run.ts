import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { checkEvidence } from "./check.ts";
import type { Violation } from "./checks/violation.ts";
import { readInbox, readJournal, readRecords } from "./collect.ts";
import { deliverMissing } from "./credentials.ts";
import type { DatabaseName } from "./database-program.ts";
import type { Evidence, Leftovers } from "./evidence.ts";
import { figuresOf } from "./figures.ts";
import type { Figures } from "./figures.ts";
import { inflict, processOf } from "./inflict.ts";
import type { Inflicted } from "./inflict.ts";
import { commandLinesWith, filesWith, processesLeft } from "./leftovers.ts";
import { seededRandom } from "./random.ts";
import { AGENTS, PROCESSES, describeFault, drawSchedule } from "./schedule.ts";
import type { Schedule } from "./schedule.ts";
import { readRuns } from "./script.ts";
import { sendEvents } from "./senders.ts";
import { comeToRest, healEverything } from "./settle.ts";
import { setUpLoad } from "./setup.ts";
import type { Load } from "./setup.ts";
import { startSystem } from "./system.ts";
import type { System } from "./system.ts";

export interface ChaosOptions {
  seed: string;
  durationMs: number;
  database: DatabaseName;
  /** The directory for state, logs and evidence. */
  directory: string;
  /** The mean time between two events of each kind. */
  meanGapMs: number;
  /** The interval of the Cron Trigger's work; under a minute, so that a short run includes it. */
  tickEveryMs: number;
  /** How long the system may take to come to rest after the last fault. */
  restWithinMs: number;
  say: (line: string) => void;
}

export interface ChaosOutcome {
  schedule: Schedule;
  figures: Figures;
  violations: Violation[];
  evidence: Evidence;
}

const DELIVERED_WITHIN_MS = 60_000;
/** Longer than any script of the load. */
const GONE_WITHIN_MS = 20_000;
const WATCH_MS = 1_000;
const AGENT_STOP_MS = 45_000;
const TEST_EVERY_MS = 4_000;

/** A whole run: start, load, faults, heal, rest, stop, check. Leaves no process; the directory stays. */
export async function runChaos(options: ChaosOptions): Promise<ChaosOutcome> {
  const { seed, directory, durationMs, say } = options;
  const schedule = drawSchedule(seed, durationMs);
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, "schedule.json"), JSON.stringify(schedule, null, 2));
  const system = await startSystem(options);
  try {
    const files = { journal: join(directory, "ran.tsv"), marks: join(directory, "marks") };
    await mkdir(files.marks, { recursive: true });
    const load = await setUpLoad(system.admin, {
      recorderUrl: system.recorder.url,
      receiverUrl: system.links.notices.url,
      files,
      markers: system.markers,
    });
    await untilDelivered(system, load);
    const startedAt = Date.now();
    const watched = watch(system, load);
    const testing = testConnections(system, load, startedAt + durationMs);
    const sending = sendEvents({
      system,
      load,
      random: seededRandom(seed).fork("senders"),
      meanGapMs: options.meanGapMs,
      until: startedAt + durationMs,
      prefix: `${seed}-${startedAt.toString(36)}`,
    });
    const faults = await inflictAll(system, schedule, startedAt, say);
    await Bun.sleep(Math.max(0, startedAt + durationMs - Date.now()));
    say(after(startedAt, "the faults are over; everything is healed"));
    await healEverything(system);
    const healedAt = Date.now();
    const { events } = sending;
    const late = await lateEvents(sending, options.restWithinMs);
    const unrest = [...late, ...(await comeToRest(system, load, options.restWithinMs))];
    const restMs = Date.now() - healedAt;
    say(after(startedAt, `${unrest.length === 0 ? "at rest" : "NOT AT REST"} after ${restMs} ms`));
    const tests = await testing;
    const seen = await watched.stop();
    await stopAll(system);
    const left: Leftovers = {
      unrest,
      inbox: readInbox(system.place.objectsDirectory),
      processes: await processesLeft(directory, GONE_WITHIN_MS),
      secrets: [...seen, ...(await filesWith(directory, secretsOf(system, load)))],
      strangers: system.recorder.strangers + system.receiver.strangers,
    };
    const evidence: Evidence = {
      events,
      ...readRecords(system.database.file, load.workflowIds),
      runs: await readRuns(files.journal),
      journals: await Promise.all(AGENTS.map((name) => readJournal(system.agents[name]))),
      notices: system.receiver.notices,
      faults,
      programEnds: PROCESSES.flatMap((program) => processOf(system, program).ends.map((end) => ({ program, ...end }))),
      left,
    };
    const violations = checkEvidence(evidence);
    const requests = system.recorder.requests.length;
    const figures = figuresOf(evidence, { fates: system.fates, tests, requests, restMs });
    await writeFile(join(directory, "evidence.json"), JSON.stringify({ evidence, violations, figures }, null, 1));
    return { schedule, figures, violations, evidence };
  } finally {
    await system.end();
  }
}

async function inflictAll(
  system: System,
  { faults }: Schedule,
  startedAt: number,
  say: (line: string) => void,
): Promise<Inflicted[]> {
  const done = faults.map(async (scheduled) => {
    await Bun.sleep(Math.max(0, startedAt + scheduled.atMs - Date.now()));
    const { number, lastsMs, fault } = scheduled;
    say(after(startedAt, `${number}. ${describeFault(fault)}${lastsMs === 0 ? "" : ` for ${lastsMs} ms`}`));
    return inflict(system, scheduled);
  });
  return Promise.all(done);
}

/** Maintains the system as people and service managers would, and looks for secrets while processes run. */
function watch(system: System, load: Load): { stop(): Promise<string[]> } {
  const seen = new Set<string>();
  const stopped = new AbortController();
  const loop = (async () => {
    for (let round = 0; !stopped.signal.aborted; round++) {
      for (const name of AGENTS) {
        const agent = system.agents[name];
        if (agent.child.ends.at(-1)?.unexpected === true) await agent.start();
      }
      const secrets = Object.values(secretsOf(system, load));
      for (const line of await commandLinesWith(secrets)) seen.add(line);
      if (round % 3 === 0) await deliverMissing(system.admin, load.credentials).catch(() => undefined);
      await Bun.sleep(WATCH_MS);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await loop;
      return [...seen];
    },
  };
}

/** Tests connections between the load's jobs. Returns how many tests were answered, and how many passed. */
async function testConnections(system: System, load: Load, until: number): Promise<{ asked: number; ok: number }> {
  const outcome = z.union([z.object({ ok: z.boolean() }), z.object({ jobId: z.string() })]);
  const ids = Object.values(load.connections);
  const tests = { asked: 0, ok: 0 };
  for (; Date.now() < until; await Bun.sleep(TEST_EVERY_MS)) {
    const id = ids[tests.asked % ids.length];
    const answer = await system.admin
      .call("POST", `/connections/${id}/test?waitSeconds=2`, undefined, outcome)
      .catch(() => null);
    tests.asked++;
    if (answer !== null && "ok" in answer && answer.ok) tests.ok++;
  }
  return tests;
}

async function untilDelivered(system: System, load: Load): Promise<void> {
  const deadline = performance.now() + DELIVERED_WITHIN_MS;
  while ((await deliverMissing(system.admin, load.credentials)) > 0) {
    if (performance.now() > deadline) throw new Error("the credentials did not reach the agents before the run");
    await Bun.sleep(100);
  }
}

/** Waits for the senders; returns the events that are still not accepted after that time. */
async function lateEvents({ events, done }: ReturnType<typeof sendEvents>, withinMs: number): Promise<string[]> {
  const inTime = await Promise.race([done.then(() => true), Bun.sleep(withinMs).then(() => false)]);
  if (inTime) return [];
  return events
    .filter((event) => !event.done)
    .map(
      ({ key, tries, lastRefusal }) =>
        `event ${key} is still being sent (attempt ${tries}): ${lastRefusal ?? "accepted"}`,
    );
}

async function stopAll(system: System): Promise<void> {
  await Promise.all(AGENTS.map((name) => system.agents[name].child.stop(AGENT_STOP_MS)));
  await system.service.stop(AGENT_STOP_MS);
  await system.database.child.stop(AGENT_STOP_MS);
}

function secretsOf(system: System, load: Load): Record<string, string> {
  const keys = AGENTS.flatMap((name) =>
    system.agents[name].keys.map((key, index) => [`key ${index + 1} of ${name}`, key.split("_")[1] ?? key] as const),
  );
  const webhooks = [...load.webhooks].map(([kind, { secret }]) => [`the webhook secret of ${kind}`, secret] as const);
  const { http, chat, custom, receiver } = system.markers;
  return {
    "the credential for http": http,
    "the credential for chat": chat,
    "the custom credential": custom,
    "the address of the receiver of notices": receiver,
    "the signing secret of notices": system.signingSecret,
    "the administrator's token": system.adminToken,
    "the service's own secret": system.serverSecret,
    ...Object.fromEntries([...keys, ...webhooks]),
  };
}

function after(startedAt: number, what: string): string {
  return `${((Date.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${what}`;
}
