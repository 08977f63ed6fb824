import { severitySchema } from "../../../schema/contract/incident.ts";
import type { Severity } from "../../../schema/contract/incident.ts";
import { OTHER_WORDS, severityWord } from "../../../schema/contract/integration.ts";

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
  return SEVERITIES.get(severityWord(word)) ?? null;
}

/** The severity of an alert by its source's word. People choose these words, so an unknown one must not lose an alert. */
export type SeverityOf = (word: string | undefined) => Severity;

/** An integration's own words come first; its `*` is for every other unknown word, and `medium` without it. */
export function severityBy(own: Readonly<Record<string, Severity>> = {}): SeverityOf {
  const words = new Map(Object.entries(own).map(([word, severity]) => [severityWord(word), severity]));
  return (word = "") => words.get(severityWord(word)) ?? severityOf(word) ?? words.get(OTHER_WORDS) ?? "medium";
}
