import type { StreamEvent } from "../services/executions/events-stream.ts";
import type { StreamPlace } from "./open-streams.ts";
import { streamOf } from "./stream-of.ts";

/** Server-sent events (WHATWG HTML, 9.2) from a generator. */
export function eventStream(events: AsyncGenerator<StreamEvent, void>, place?: StreamPlace): Response {
  return new Response(streamOf(events, encodeEvent, place), {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      // Keeps nginx from buffering events.
      "X-Accel-Buffering": "no",
    },
  });
}

/** JSON text contains no raw line breaks, so data is one line. */
function encodeEvent({ data, event, heartbeat, id, retryMs }: StreamEvent): string {
  const lines = [
    ...(heartbeat === true ? [": heartbeat"] : []),
    ...(retryMs === undefined ? [] : [`retry: ${retryMs}`]),
    ...(event === undefined ? [] : [`event: ${event}`]),
    ...(id === undefined ? [] : [`id: ${id}`]),
    ...(data === undefined ? [] : [`data: ${JSON.stringify(data)}`]),
  ];
  return `${lines.join("\n")}\n\n`;
}
