import { SHUTDOWN_WAIT_MS } from "../schema/limits.ts";
import type { Activity } from "./activity.ts";
import { sleep } from "./clock.ts";
import type { JobRunner } from "./job-runner.ts";
import type { Journal } from "./journal/index.ts";
import { describeError } from "./log.ts";
import type { Log } from "./log.ts";
import type { Loop } from "./loop.ts";
import type { ResultSender } from "./jobs/result-sender.ts";
import type { ServiceLink } from "./service/link.ts";

/** The limit for the last results and the offline notification together. Unsent results stay in the journal. */
const FAREWELL_MS = 10_000;
const RESEND_MS = 500;

export interface ShutdownOptions {
  poll: Loop;
  heartbeat: Loop;
  /** Makes every following heartbeat say that the agent shuts down. */
  drain: () => void;
  runner: JobRunner;
  sender: ResultSender;
  journal: Journal;
  link: ServiceLink;
  activity: Activity;
  log: Log;
  drainMs?: number;
}

/** The graceful end (docs/design/agent-protocol.md#lifecycle). */
export async function shutDown(options: ShutdownOptions): Promise<void> {
  const { poll, heartbeat, drain, runner, sender, journal, link, activity, log, drainMs = SHUTDOWN_WAIT_MS } = options;
  activity.isShuttingDown = true;
  log.info("shutting down: no new jobs", { running: runner.size });
  await poll.stop();
  drain();
  if (runner.size > 0) heartbeat.wake({ endsBackoff: true });
  const drained = new AbortController();
  await Promise.race([runner.idle(), sleep(drainMs, drained.signal)]);
  drained.abort();
  if (runner.size > 0) {
    log.warning("jobs are stopped because they did not end in time", { running: runner.size });
    runner.stopAll("agent_shutdown");
    await runner.idle();
  }
  await heartbeat.stop();
  await reportOffline({ sender, journal, link, log });
  link.stop();
}

async function reportOffline({
  sender,
  journal,
  link,
  log,
}: Pick<ShutdownOptions, "sender" | "journal" | "link" | "log">): Promise<void> {
  const signal = AbortSignal.timeout(FAREWELL_MS);
  while (link.hasRegistered && !link.isKeyRefused && journal.owed().length > 0 && !signal.aborted) {
    await sender.send(signal);
    if (journal.owed().length > 0 && !link.isKeyRefused) await sleep(RESEND_MS, signal);
  }
  const owed = journal.owed().length;
  if (owed > 0 && link.isKeyRefused) {
    log.warning("the service refuses the key: results stay in the journal, and are sent when the agent has a new key", {
      results: owed,
    });
    return;
  }
  if (!link.hasRegistered) return;
  if (owed > 0)
    log.warning("results stay in the journal: they are sent when the agent starts again", { results: owed });
  try {
    await link.call((client, session) => client.offline(session, journal.held(), signal), signal);
    log.info("the service knows that this agent is offline");
  } catch (error) {
    log.warning("the offline notification failed", { error: describeError(error) });
  }
}
