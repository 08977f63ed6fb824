import type { StreamEvent } from "../services/executions/events-stream.ts";
import type { StreamPlace } from "./open-streams.ts";

const encoder = new TextEncoder();

/**
 * Server-sent events (WHATWG HTML, 9.2) from a generator. Nothing is made before it is read, and when the client goes,
 * the generator ends at its next step.
 */
export function eventStream(events: AsyncGenerator<StreamEvent, void>, place?: StreamPlace): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await events.next();
          place?.alive(Date.now());
          if (done !== true) return controller.enqueue(encoder.encode(encodeEvent(value)));
        } catch (error) {
          place?.ended();
          throw error;
        }
        place?.ended();
        controller.close();
      },
      cancel() {
        // Not waited for: it may be in the middle of a wait of its own.
        void events.return().finally(() => place?.ended());
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store, no-transform",
      // nginx would hold events back.
      "X-Accel-Buffering": "no",
    },
  });
}

/** JSON has no line breaks of its own, so data is one line. */
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
