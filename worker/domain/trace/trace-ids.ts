/**
 * Ids of traces and spans are parts of the ids that the database has, so that a repeated export has the same ones, and
 * a job's span is known when the job is ordered. An id of Bellhop is a UUIDv7: 48 bits of time, then random.
 */

/** The first digit of an own span's id is 8 to b, the variant of a UUID. Others have the digit of their kind here. */
const KINDS = { queued: 1, assigned: 2, delivered: 3, running: 4, reported: 5, item: 6, start: 7 } as const;
export type DerivedSpan = keyof typeof KINDS;

/** Of the last 56 bits, the first 52: as many as a number holds. */
const RANDOM = [-14, -1] as const;
const RANDOM_RANGE = 2 ** 52;

/** The trace of an execution, and of all below it: the UUID of the outermost one. */
export function traceIdOf(rootExecutionId: string): string {
  return uuidOf(rootExecutionId);
}

/** The span of an execution, a node run or a job: the random half of its UUID. */
export function spanIdOf(id: string): string {
  return uuidOf(id).slice(16);
}

/** The span of a part of that one: of a stage of a job, or of the item of a forEach with this index. */
export function derivedSpanId(id: string, kind: DerivedSpan, index = 0): string {
  const rest = BigInt(`0x${spanIdOf(id).slice(1)}`) ^ BigInt(index);
  return `${KINDS[kind]}${rest.toString(16).padStart(15, "0")}`;
}

/**
 * Whether this share of all traces includes this one. The last 56 bits of the id are random and decide, as
 * OpenTelemetry's consistent sampling says, so that other services with the same share keep the same traces.
 */
export function isSampled(traceId: string, share: number): boolean {
  return Number(`0x${traceId.slice(...RANDOM)}`) / RANDOM_RANGE >= 1 - share;
}

/** The W3C trace context in which a job's programs run: their spans belong below the job's. */
export function traceparentOf(rootExecutionId: string, jobId: string, share: number): string {
  const traceId = traceIdOf(rootExecutionId);
  return `00-${traceId}-${spanIdOf(jobId)}-${isSampled(traceId, share) ? "01" : "00"}`;
}

function uuidOf(id: string): string {
  return id.slice(id.indexOf("_") + 1).replaceAll("-", "");
}
