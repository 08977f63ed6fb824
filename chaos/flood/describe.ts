import type { Violation } from "../checks/violation.ts";
import { groupBy } from "../checks/violation.ts";
import type { FloodFigures } from "./figures.ts";

const SHOWN = 3;

/** One flood as text. */
export function describeFlood(figures: FloodFigures, violations: readonly Violation[]): string {
  const { accept, traffic } = figures;
  const share = figures.drainPerSecond === null ? "" : `, ${figures.drainPerSecond.toFixed(0)} a second`;
  const isolates = figures.isolates === 1 ? "" : `, ${figures.isolates} workerd processes`;
  const accepting = figures.sentAllMs === null ? "not all in time" : seconds(figures.sentAllMs);
  return [
    `${figures.database}, ${figures.sent} events, ${figures.fault}${isolates}`,
    line("accepted", `${figures.accepted} (${accepting}; ${figures.repeated} repeated: ${counted(figures.refusals)})`),
    line("accept p50", `before ${p50(accept.before)}, during ${p50(accept.during)}, after ${p50(accept.after)}`),
    line("finished", `${figures.finished}; backlog ${figures.backlog} in ${seconds(figures.drainMs)}${share}`),
    line(
      "database",
      `${traffic.requests} requests (${traffic.mostAtOnce} at once), ${traffic.writeBatches} write batches; busy: ${traffic.busyByProxy} by the proxy, ${traffic.busyByServer} by the server; other statuses: ${counted(traffic.statuses)}`,
    ),
    line("tries in a row", String(figures.longestRow)),
    line("agents", `failed calls: ${counted(figures.agentFailures)}`),
    ...violationLines(violations),
  ].join("\n");
}

/** The number for each check with a few examples: a bad flood has thousands of violations. */
function violationLines(violations: readonly Violation[]): string[] {
  if (violations.length === 0) return ["  ✓ every check passed"];
  return [...groupBy(violations, ({ check }) => check)].flatMap(([check, found]) => [
    `  ✗ ${check}: ${found.length}`,
    ...found.slice(0, SHOWN).map(({ detail }) => `      ${detail}`),
  ]);
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(15)} ${text}`;
}

function p50(window: { p50Ms: number; probes: number } | null): string {
  return window === null ? "-" : `${window.p50Ms.toFixed(1)} ms (${window.probes})`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

function counted(counts: Readonly<Record<string, number>>): string {
  return (
    Object.entries(counts)
      .map(([name, count]) => `${count} × ${name}`)
      .join(", ") || "none"
  );
}
