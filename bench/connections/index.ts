import { WEBHOOK_REQUESTS_PER_WINDOW } from "../../schema/limits.ts";
import { createTargets } from "../webhook-service.ts";
import { postBytes } from "../load.ts";
import { send } from "./client.ts";
import type { Tally } from "./client.ts";
import { startMachineLoad } from "./machine-load.ts";
import type { MachineLoad } from "./machine-load.ts";
import { SERVICES } from "./services.ts";

/**
 * Requests that end without an answer, while other processes use every core, and the disk on request. `busy`: the next
 * request follows the answer. `idle`: it comes about when workerd closes an idle connection, after 5 s.
 */
export type ConnectionsBench = Round[];
interface Round extends Tally {
  service: string;
  pace: "busy" | "idle";
  connections: number;
  load: MachineLoad;
}

export const REQUESTS = 20_000;
const IDLE = { connections: 256, requests: 1_024, pauseMs: () => 4_900 + 200 * Math.random() };

export async function benchConnections(
  { requests, load }: { requests: number; load: MachineLoad },
  report: (line: string) => void,
): Promise<ConnectionsBench> {
  const rounds: ConnectionsBench = [];
  for (const [service, start] of Object.entries(SERVICES)) {
    const { url, stop } = await start();
    try {
      for (const [pace, connections, count, pauseMs] of [
        ["busy", 16, requests, () => 0],
        ["busy", 256, requests, () => 0],
        ["idle", IDLE.connections, IDLE.requests, IDLE.pauseMs],
      ] as const) {
        const bytes = await acceptedRequests(url, count);
        const stopLoad = await startMachineLoad(load);
        try {
          const tally = await send({ url, connections, requests: bytes, pauseMs });
          const round = { service, pace, connections, load, ...tally };
          report(describeConnections([round]));
          rounds.push(round);
        } finally {
          await stopLoad();
        }
      }
    } finally {
      await stop();
    }
  }
  return rounds;
}

export function describeConnections(rounds: ConnectionsBench): string {
  return rounds
    .flatMap((round) => [
      `${round.service}, ${round.load} in use, ${round.pace}, ${round.connections} connections: ${round.lost.length} requests without an answer`,
      `  answers ${JSON.stringify(round.answers)} in ${round.seconds.toFixed(0)} s, the slowest after ${round.slowestMs.toFixed(0)} ms`,
      `  connections: ${round.closedIdle} closed while idle, ${round.failedConnects} failed`,
      ...round.lost.slice(0, 5).map((lost) => `  ${JSON.stringify(lost)}`),
    ])
    .join("\n");
}

/** No request is a duplicate, and no webhook key gets more than are accepted in a minute: each request is a write. */
async function acceptedRequests(url: string, count: number): Promise<Uint8Array[]> {
  // Creating a target has sent its first request.
  const targets = await createTargets(url, Math.ceil(count / (WEBHOOK_REQUESTS_PER_WINDOW - 1)));
  return Array.from({ length: count }, (_, n) => {
    const target = targets[n % targets.length];
    if (target === undefined) throw new Error("no targets");
    return postBytes(target.url, target.headers, JSON.stringify({ variables: { event: crypto.randomUUID() } }));
  });
}
