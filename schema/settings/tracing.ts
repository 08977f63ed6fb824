import { valid } from "./parse.ts";
import type { Parsed } from "./setting.ts";
import { decoded, isSafeUrl, parsedUrl } from "./url.ts";

const NAME = /^[\w!#$%&'*+.^`|~-]+$/u;
/** Visible ASCII, with spaces inside. */
const VALUE = /^[!-~](?:[ -~]*[!-~])?$/u;
/** The sender sets these itself. */
const OWN = new Set(["connection", "content-encoding", "content-length", "content-type", "host", "transfer-encoding"]);
const DECIMAL = /^(?:\d+\.?\d*|\.\d+)$/u;

/** The address of a receiver of OTLP/HTTP, without a query, which logs of proxies would show. */
export function parseTraceAddress(text: string): Parsed<string> {
  const url = parsedUrl(text);
  return valid(
    url !== null && isSafeUrl(text) && url.search === "" && url.hash === "" ? url.href : null,
    "must be an https address without a user, a password or a query, such as https://otel.example.org:4318; http is only for this machine. Put a token into OTEL_EXPORTER_OTLP_HEADERS",
  );
}

/** `name=value,name=value` with values in percent encoding, as OpenTelemetry writes headers. */
export function parseHeaders(text: string): Parsed<Readonly<Record<string, string>>> {
  const problem =
    "must be headers like authorization=Bearer%20abc, separated by commas, with values in percent encoding, and without headers of the connection or the body";
  const headers = new Map<string, string>();
  for (const pair of text.split(",").map((part) => part.trim())) {
    if (pair === "") continue;
    const at = pair.indexOf("=");
    const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
    const value = decoded(pair.slice(at + 1).trim());
    if (!NAME.test(name) || OWN.has(name) || headers.has(name) || value === null || !VALUE.test(value)) {
      return { problem };
    }
    headers.set(name, value);
  }
  return valid(headers.size === 0 ? null : Object.fromEntries(headers), problem);
}

/** A number from 0 to 1. */
export function parseShare(text: string): Parsed<number> {
  const share = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return valid(share <= 1 ? share : null, "must be a number from 0 to 1, such as 0.1");
}
