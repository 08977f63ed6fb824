/**
 * When an object with one alarm must wake next (epoch ms); null when nothing waits. What was due by `lookedAt` and is
 * still there could not be dealt with: it is tried again after `retryMs`, and holds up nothing else.
 */
export function nextWake(times: Iterable<number>, lookedAt: number, retryMs: number): number | null {
  let earliest: number | null = null;
  for (const time of times) {
    const wakeAt = time <= lookedAt ? lookedAt + retryMs : time;
    if (earliest === null || wakeAt < earliest) earliest = wakeAt;
  }
  return earliest;
}
