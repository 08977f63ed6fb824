import type { Socket } from "bun";

/** When an agent was notified of a job, fetched it, and reported its end (milliseconds of the given clock). */
export interface Tapped {
  /** When `poll` came over the wake socket; null when the agent polled first. */
  wokenAt: number | null;
  /** When the answer with the job arrived. */
  fetchedAt: number | null;
  /** When the answer to the results arrived. */
  acknowledgedAt: number | null;
}

export interface AgentTap {
  /** The agent's address of the service. */
  url: string;
  /** The number of wake sockets opened so far. */
  wakeSockets(): number;
  /** Forgets earlier marks; resolves with the next ones, after a result is acknowledged. */
  next(): Promise<Tapped>;
  stop(): void;
}

interface Line {
  service: Socket<undefined> | null;
  /** Bytes from the agent before the connection to the service was open. */
  waiting: Uint8Array[];
  /** The agent's last request on this connection. */
  asked: "jobs" | "results" | "wake" | "other";
}

const JOBS = Buffer.from('"jobs":[{');
const POLL = Buffer.from("poll");

/**
 * A proxy between one agent and the service that notes when a job's messages pass. It forwards bytes as they come, with
 * a delay of some hundredths of a millisecond.
 */
export function startAgentTap(serviceUrl: string, now: () => number): AgentTap {
  const { hostname, port } = new URL(serviceUrl);
  let tapped: Tapped = { wokenAt: null, fetchedAt: null, acknowledgedAt: null };
  let acknowledged: (() => void) | null = null;
  let wakeSockets = 0;

  const note = (line: Line, chunk: Buffer) => {
    if (line.asked === "wake") {
      if (chunk.includes("101 Switching")) wakeSockets += 1;
      else if (chunk.includes(POLL)) tapped.wokenAt ??= now();
    } else if (line.asked === "jobs" && chunk.includes(JOBS)) tapped.fetchedAt ??= now();
    else if (line.asked === "results" && tapped.fetchedAt !== null) {
      tapped.acknowledgedAt ??= now();
      acknowledged?.();
    }
  };

  const listener = Bun.listen<Line>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (agent) => {
        const line: Line = { service: null, waiting: [], asked: "other" };
        agent.data = line;
        agent.setNoDelay(true);
        void Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            open: (service) => {
              service.setNoDelay(true);
              line.service = service;
              for (const chunk of line.waiting.splice(0)) service.write(chunk);
            },
            data: (_service, chunk) => {
              agent.write(chunk);
              note(line, chunk);
            },
            close: () => void agent.end(),
            error: () => void agent.end(),
          },
        });
      },
      data: ({ data: line }, chunk) => {
        line.asked = askedIn(chunk) ?? line.asked;
        if (line.service === null) line.waiting.push(Uint8Array.from(chunk));
        else line.service.write(chunk);
      },
      close: ({ data: line }) => void line.service?.end(),
      error: ({ data: line }) => void line.service?.end(),
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}`,
    wakeSockets: () => wakeSockets,
    next: async () => {
      tapped = { wokenAt: null, fetchedAt: null, acknowledgedAt: null };
      const { promise, resolve } = Promise.withResolvers<void>();
      acknowledged = resolve;
      await promise;
      acknowledged = null;
      return tapped;
    },
    stop: () => listener.stop(true),
  };
}

/** Null for a later part of a request. */
function askedIn(chunk: Buffer): Line["asked"] | null {
  const path = /^(?:GET|POST) \/api\/v1\/agent\/(\w+)/u.exec(chunk.toString("latin1", 0, 64))?.[1];
  if (path === undefined) return null;
  return path === "jobs" || path === "results" || path === "wake" ? path : "other";
}
