import type { RuleEvent } from "../../../schema/contract/notification-rule.ts";
import { ALERT_OVERLAP_MS } from "../../../schema/limits.ts";
import type { ActiveRule, AlertEvent } from "../../domain/alerts/event.ts";
import { recovered } from "../../services/alerts/index.ts";
import type { Position } from "../../store/alert-facts.ts";
import type { Notices } from "./notices.ts";
import type { AlerterPorts, ReadEvents } from "./ports.ts";
import type { AlerterTables } from "./storage.ts";

const PAGE = 500;
/** A pass reads at most so many pages of each source; the next pass continues. */
const PAGES_MAX = 10;
const HOUR_MS = 60 * 60_000;
/** Older events are not reported: after so long, they are history. */
const OLDEST_MS = 24 * HOUR_MS;

type Parts = { tables: AlerterTables; ports: AlerterPorts; notices: Notices };

interface Source {
  readonly name: string;
  readonly on: readonly RuleEvent[];
  read(ports: AlerterPorts): ReadEvents;
}

const SOURCES: readonly Source[] = [
  { name: "failed-runs", on: ["run_failed", "limit_reached"], read: (ports) => ports.failedRuns },
  { name: "asking", on: ["approval_waiting", "limit_reached"], read: (ports) => ports.asking },
  { name: "lost-credentials", on: ["credential_failed"], read: (ports) => ports.lostCredentials },
  { name: "refused-logins", on: ["credential_failed"], read: (ports) => ports.refusedLogins },
  { name: "switched-off", on: ["schedule_disabled"], read: (ports) => ports.switchedOff },
];

/** Reads what enabled rules ask for, from where the last pass ended, and records it. Rejects while the database is away. */
export async function readEvents(parts: Parts): Promise<void> {
  const outcomes = await Promise.allSettled(SOURCES.map((source) => readSource(source, parts)));
  await readRecovered(parts);
  const { tables, ports } = parts;
  const positions = SOURCES.flatMap(({ name }) => tables.fact<Position>(nameOf(name)) ?? []).map(({ at }) => at);
  tables.forgetSeen(Math.min(ports.now(), ...positions) - HOUR_MS);
  // A source that cannot be read does not hold up the others.
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

async function readSource({ name, on, read }: Source, parts: Parts): Promise<void> {
  const { tables, ports, notices } = parts;
  const asking = notices.enabled.filter(({ rule }) => on.includes(rule.on));
  if (asking.length === 0) {
    tables.setFact(nameOf(name), null);
    return;
  }
  const settledAt = ports.now() - ALERT_OVERLAP_MS;
  const known = tables.fact<Position>(nameOf(name)) ?? firstPosition(asking, settledAt);
  // After the clock was set back, the position is ahead of it.
  const from = Math.min(settledAt, Math.max(known.at, settledAt - OLDEST_MS));
  let position: Position = from === known.at ? known : { at: from, id: "" };
  for (let pages = 1; ; pages += 1) {
    const page = await read(ports)(position, PAGE);
    notices.together(() => {
      for (const event of page.events) record(event, parts);
    });
    position = page.last ?? position;
    if (!page.isFull || pages >= PAGES_MAX) {
      // An event may become readable some time after it happened, so the last minutes are read again.
      const isBehind = page.isFull && position.at < settledAt;
      const next = isBehind ? position : { at: settledAt, id: "" };
      tables.setFact(nameOf(name), next);
      return;
    }
  }
}

/** A source that no rule asked for is read from the first of its rules on. */
function firstPosition(rules: readonly ActiveRule[], settledAt: number): Position {
  return { at: Math.min(settledAt, ...rules.map(({ since }) => since)), id: "" };
}

function nameOf(source: string): string {
  return `position:${source}`;
}

function record(event: AlertEvent, { tables, notices }: Parts): void {
  const { workflow, failure, at, runKey: key = null } = event;
  if (workflow === null || failure === undefined || failure === "recovered" || !awaitsRecovery(notices)) {
    notices.record(event);
    return;
  }
  const failing = { workflowId: workflow.id, key };
  const failedAt = tables.failingSince(failing);
  if (failure === "first" && failedAt !== null && failedAt < at) {
    // It succeeded and failed again between two passes.
    notices.record(recovered(workflow, { key, at: failedAt }, { at, executionId: null }));
  }
  if (notices.record(event)) tables.setFailing({ ...failing, at: Math.max(at, failedAt ?? 0) });
}

async function readRecovered({ tables, ports, notices }: Parts): Promise<void> {
  const failing = tables.failing();
  if (failing.length === 0) return;
  if (!awaitsRecovery(notices)) {
    for (const one of failing) tables.forgetFailing(one);
    return;
  }
  const { recovered: found, gone } = await ports.recoveries(failing);
  notices.together(() => {
    for (const { event, failing: one } of found) {
      notices.record(event);
      tables.forgetFailing(one);
    }
  });
  for (const one of gone) tables.forgetFailing(one);
}

function awaitsRecovery({ enabled }: Notices): boolean {
  return enabled.some(({ rule }) => rule.on === "run_failed" && rule.recovered);
}
