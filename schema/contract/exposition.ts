/** One metric for Prometheus: a family of samples with the same name, type and help text. */
export interface Metric {
  /** Includes its unit, and `_total` for a counter: `bellhop_oldest_waiting_job_age_seconds`. */
  readonly name: string;
  /**
   * A summary has a label `quantile` and covers a sliding window: it has neither `_sum` nor `_count`, which must rise.
   */
  readonly type: "gauge" | "counter" | "summary";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The content type of a scrape's answer (Prometheus, "Exposition formats", text format 0.0.4). */
export const EXPOSITION_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** The text of a scrape. A metric without samples is left out: its value is unknown now. */
export function exposition(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ samples }) => samples.length > 0)
    .map(family)
    .join("");
}

/** One sample without labels. */
export function single(value: number): readonly Sample[] {
  return [{ value }];
}

function family({ name, type, help, samples }: Metric): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelSet(labels)} ${shown(value)}`);
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ""].join("\n");
}

function labelSet(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

/** In the format of Go's ParseFloat. */
function shown(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "+Inf" : "-Inf";
  return String(value);
}
