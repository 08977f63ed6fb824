import type { Evidence } from "../evidence.ts";

const GONE_BY_SILENCE_MS = 60_000;

/** True when the agent was killed or restarted in that time, or silent for so long that its fate is unknown. */
export function wasGone({ faults, programEnds }: Evidence, agent: string, fromMs: number, toMs: number): boolean {
  if (programEnds.some((end) => end.program === agent && end.at >= fromMs - 1_000 && end.at <= toMs + 1_000))
    return true;
  return faults.some((inflicted) => {
    const { fault } = inflicted;
    const place = "target" in fault ? fault.target : "link" in fault ? fault.link : null;
    if (place !== agent || inflicted.toMs < fromMs || inflicted.fromMs > toMs) return false;
    return inflicted.toMs - inflicted.fromMs >= GONE_BY_SILENCE_MS;
  });
}
