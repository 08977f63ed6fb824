import type { Violation } from "./checks/violation.ts";
import type { Distribution, Figures } from "./figures.ts";

const SHOWN_VIOLATIONS = 40;

/** A run's figures for a person. */
export function describeFigures(figures: Figures): string {
  const { executions, jobs, faults, fates, connectionTests: tests } = figures;
  return [
    line(
      "events accepted",
      `${figures.eventsAccepted} (${figures.requestsSent} requests, ${figures.duplicatesAnswered} answered as duplicates)`,
    ),
    line("executions", `${counted(executions)}; ${figures.executionsHeld} of them held by maintenance windows`),
    line("jobs", counted(jobs)),
    line(
      "begun on agents",
      `${figures.leases} leases; ${figures.scriptsRun} scripts, ${figures.targetRequests} requests at the target`,
    ),
    line("lost, late", `${figures.jobsLost} jobs lost, ${figures.lateResults} late results recorded`),
    line(
      "failures",
      `${figures.failureRuns} runs of the failure workflow; ${figures.notices} messages of rules, in ${figures.noticeRequests} requests`,
    ),
    line("connection tests", `${tests.asked}, of which ${tests.ok} passed`),
    line("faults", counted(faults)),
    line("requests affected", counted(fates)),
    line("webhook to start", `calm ${times(figures.startCalm)}; under faults ${times(figures.startUnderFaults)}`),
    line("at rest", `${(figures.restMs / 1_000).toFixed(1)} s after the last fault`),
  ].join("\n");
}

export function describeViolations(violations: readonly Violation[]): string {
  if (violations.length === 0) return "Every promise was kept.";
  const shown = violations.slice(0, SHOWN_VIOLATIONS).map(({ check, detail }) => `✗ ${check}: ${detail}`);
  const more = violations.length - shown.length;
  return [
    `${violations.length} violations:`,
    ...shown,
    ...(more > 0 ? [`… and ${more} more, in evidence.json`] : []),
  ].join("\n");
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(17)} ${text}`;
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

function times({ count, p50, p99, max }: Distribution): string {
  return count === 0 ? "none" : `p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms (${count})`;
}
