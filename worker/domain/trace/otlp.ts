import { utf8Bytes } from "../json-bytes.ts";
import type { Attributes, Span } from "./span.ts";

const KIND_INTERNAL = 1;
const STATUS_ERROR = 2;
const COMMA_BYTES = 1;
const NANOSECONDS = "000000";

/**
 * An ExportTraceServiceRequest in the JSON form of OTLP 1.x: ids in hexadecimal, enumerations as numbers, 64-bit numbers
 * as texts.
 */
export function toOtlp(spans: readonly Span[], { serviceName, version }: { serviceName: string; version: string }) {
  return {
    resourceSpans: [
      {
        resource: { attributes: toKeyValues({ "service.name": serviceName, "service.version": version }) },
        scopeSpans: [{ scope: { name: "bellhop", version }, spans: spans.map(toOtlpSpan) }],
      },
    ],
  };
}

/** The bytes of a span in a request. */
export function spanBytes(span: Span): number {
  return utf8Bytes(JSON.stringify(toOtlpSpan(span))) + COMMA_BYTES;
}

function toOtlpSpan(span: Span) {
  const { traceId, spanId, parentSpanId, name, error, links } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === null ? {} : { parentSpanId }),
    name,
    kind: KIND_INTERNAL,
    startTimeUnixNano: toNanoseconds(span.startMs),
    endTimeUnixNano: toNanoseconds(span.endMs),
    attributes: toKeyValues({ ...span.attributes, "error.type": error }),
    events: span.events.map(({ name, atMs, attributes }) => ({
      timeUnixNano: toNanoseconds(atMs),
      name,
      attributes: toKeyValues(attributes),
    })),
    links: links.map((link) => ({ ...link })),
    status: error === null ? {} : { code: STATUS_ERROR, message: error },
  };
}

function toKeyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) => (value === null ? [] : [{ key, value: toAny(value) }]));
}

function toAny(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  return typeof value === "number" ? { intValue: String(value) } : { boolValue: value };
}

function toNanoseconds(atMs: number): string {
  return `${Math.round(atMs)}${NANOSECONDS}`;
}
