import { z } from "zod";
import type { Service } from "./bellhop.ts";

/** A server-sent event as a browser would dispatch it; `mark` is the last event id at that moment. */
export interface ReceivedEvent {
  readonly event: string;
  readonly data: unknown;
  /** The id of this event; null when it has none. */
  readonly id: string | null;
  readonly mark: string | null;
}

/** Reads a stream of server-sent events (WHATWG HTML, 9.2.6) on demand. */
export class EventReader {
  readonly response: Response;
  readonly comments: string[] = [];
  retryMs: number | null = null;
  mark: string | null = null;
  readonly #reader: { read(): Promise<{ done: boolean; value?: Uint8Array }> };
  readonly #abort: AbortController;
  readonly #decoder = new TextDecoder();
  #buffer = "";

  private constructor(response: Response, abort: AbortController, mark: string | null) {
    if (response.body === null) throw new Error("a stream without a body");
    this.response = response;
    this.#reader = response.body.getReader();
    this.#abort = abort;
    this.mark = mark;
  }

  static async open(
    bellhop: Service,
    path: string,
    lastEventId: string | null = null,
    credentials: Readonly<Record<string, string>> = { Authorization: `Bearer ${bellhop.adminToken}` },
  ): Promise<EventReader> {
    const abort = new AbortController();
    const response = await fetch(`${bellhop.url}/api/v1/automation${path}`, {
      headers: {
        ...credentials,
        ...(lastEventId === null ? {} : { "Last-Event-ID": lastEventId }),
      },
      signal: abort.signal,
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return new EventReader(response, abort, lastEventId);
  }

  /** The next event; null when the stream has ended. */
  async next(): Promise<ReceivedEvent | null> {
    for (;;) {
      const end = this.#buffer.indexOf("\n\n");
      if (end >= 0) {
        const block = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 2);
        const event = this.#dispatch(block);
        if (event !== null) return event;
        continue;
      }
      const { done, value } = await this.#reader.read();
      if (done) return null;
      this.#buffer += this.#decoder.decode(value, { stream: true });
    }
  }

  /** Events up to and including the first match of `last`; without `last`, to the end of the stream. */
  async until(last: (event: ReceivedEvent) => boolean = () => false): Promise<ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    for (;;) {
      const event = await this.next();
      if (event === null) return events;
      events.push(event);
      if (last(event)) return events;
    }
  }

  /** Disconnects without notice, like a closed laptop. */
  drop(): void {
    this.#abort.abort();
  }

  #dispatch(block: string): ReceivedEvent | null {
    let event = "message";
    let id: string | null = null;
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const colon = line.indexOf(":");
      const field = line.slice(0, colon);
      const value = line.slice(colon + 1).replace(/^ /u, "");
      if (field === "") this.comments.push(value);
      else if (field === "event") event = value;
      else if (field === "data") data.push(value);
      else if (field === "id") id = value;
      else if (field === "retry") this.retryMs = Number(value);
      else throw new Error(`not a field of an event: ${line}`);
    }
    if (id !== null) this.mark = id;
    return data.length === 0 ? null : { event, data: JSON.parse(data.join("\n")), id, mark: this.mark };
  }
}

const statusesSchema = z.object({
  status: z.string(),
  nodeRuns: z.array(z.object({ nodeId: z.string(), status: z.string() })).optional(),
});

/** What a reader of all events knows at the end: the execution's status, and each node's. */
export function knownFrom(events: readonly ReceivedEvent[]): { status: string | null; nodes: Record<string, string> } {
  const nodes: Record<string, string> = {};
  let status: string | null = null;
  for (const { data, event } of events) {
    if (event === "execution") {
      const seen = statusesSchema.parse(data);
      status = seen.status;
      for (const run of seen.nodeRuns ?? []) nodes[run.nodeId] = run.status;
    }
    if (event === "nodeRun") {
      const run = z.object({ nodeId: z.string(), status: z.string() }).parse(data);
      nodes[run.nodeId] = run.status;
    }
  }
  return { status, nodes };
}
