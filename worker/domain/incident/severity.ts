import { severitySchema } from "../../../schema/contract/incident.ts";
import type { Severity } from "../../../schema/contract/incident.ts";

/** Names of severities at alert sources: Prometheus rules, syslog, PagerDuty, Sentry, Zabbix, P and SEV numbers. */
const NAMES: Readonly<Record<Severity, readonly string[]>> = {
  critical: ["critical", "crit", "fatal", "emergency", "emerg", "alert", "panic", "page", "disaster", "p1", "sev1"],
  high: ["high", "error", "err", "major", "severe", "p2", "sev2"],
  medium: ["medium", "warning", "warn", "average", "moderate", "ticket", "p3", "sev3"],
  low: ["low", "info", "information", "informational", "notice", "minor", "debug", "none", "p4", "sev4", "p5", "sev5"],
};

const SEVERITIES: ReadonlyMap<string, Severity> = new Map(
  severitySchema.options.flatMap((severity) => NAMES[severity].map((name) => [name, severity] as const)),
);

/** The severity for a source's word; null for an unknown word. */
export function severityOf(word: string): Severity | null {
  return SEVERITIES.get(word.trim().toLowerCase().replace(/[-_ ]/gu, "")) ?? null;
}
