import type { StreamEvent } from "../services/executions/events-stream.ts";
import type { StreamPlace } from "./open-streams.ts";

const encoder = new TextEncoder();

/**
 * Server-sent events (WHATWG HTML, 9.2) from a generator. An event is made only when the client reads it. When the
 * client disconnects, the generator ends at its next step.
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
        // Not awaited, because the generator may be in the middle of a wait.
        void events.return().finally(() => place?.ended());
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
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
