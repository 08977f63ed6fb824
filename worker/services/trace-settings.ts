import type { ServiceReader } from "../../schema/settings/service.ts";

/** Where spans go, and of which share of the runs. */
export interface TraceSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly share: number;
  readonly serviceName: string;
}

/** Null without an address, and with wrong settings: a run never depends on them. */
export function traceSettings({ read, text }: ServiceReader, problems: string[]): TraceSettings | null {
  const before = problems.length;
  const base = read("OTEL_EXPORTER_OTLP_ENDPOINT");
  const whole = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const headers = read("OTEL_EXPORTER_OTLP_HEADERS") ?? {};
  const share = read("OTEL_TRACES_SAMPLER_ARG");
  const serviceName = read("OTEL_SERVICE_NAME");
  const url = text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") === null ? belowBase(base) : whole;
  return url === null || problems.length > before ? null : { url, headers, share, serviceName };
}

function belowBase(base: string | null): string | null {
  return base === null ? null : `${base.replace(/\/$/u, "")}/v1/traces`;
}
