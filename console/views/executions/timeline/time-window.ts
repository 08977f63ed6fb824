/** A span of time in epoch ms. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** The shortest span that is shown, in ms. */
const SHORTEST_MS = 20;
/** A tick's label needs so much room. */
const TICK_PX = 90;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const STEPS_MS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 6, 12, 24, 48, 168].map((hours) => hours * HOUR_MS),
];

/** The shown span, changed by a factor (below 1: closer) around an instant, which keeps its place. */
export function zoomed(shown: TimeSpan, whole: TimeSpan, factor: number, around: number): TimeSpan {
  const length = shown.to - shown.from;
  const next = Math.max(Math.min(SHORTEST_MS, whole.to - whole.from), length * factor);
  const share = length === 0 ? 0 : (around - shown.from) / length;
  return within({ from: around - share * next, to: around + (1 - share) * next }, whole);
}

/** The shown span, moved by milliseconds. */
export function panned({ from, to }: TimeSpan, whole: TimeSpan, byMs: number): TimeSpan {
  return within({ from: from + byMs, to: to + byMs }, whole);
}

/** The place of an instant in the shown span, in percent. It may be outside. */
export function percentAt({ from, to }: TimeSpan, at: number): number {
  return to <= from ? 0 : ((at - from) / (to - from)) * 100;
}

/** The ticks of an axis: instants at round distances from the start of the whole, and the distance between two. */
export function ticksOf(shown: TimeSpan, whole: TimeSpan, widthPx: number): { stepMs: number; at: number[] } {
  const wanted = ((shown.to - shown.from) * TICK_PX) / Math.max(TICK_PX, widthPx);
  const stepMs = STEPS_MS.find((step) => step >= wanted) ?? Math.ceil(wanted / (168 * HOUR_MS)) * 168 * HOUR_MS;
  const at: number[] = [];
  const first = Math.ceil((shown.from - whole.from) / stepMs);
  for (let tick = whole.from + first * stepMs; tick <= shown.to; tick += stepMs) at.push(tick);
  return { stepMs, at };
}

function within({ from, to }: TimeSpan, whole: TimeSpan): TimeSpan {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}
