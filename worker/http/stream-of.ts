import type { StreamPlace } from "./open-streams.ts";

const encoder = new TextEncoder();

/**
 * A body from a generator. A part is made only when the client reads it. When the client disconnects, the generator
 * ends at its next step; when the generator fails, the connection breaks, so the client knows that something is missing.
 */
export function streamOf<T>(
  parts: AsyncGenerator<T, void>,
  encode: (part: T) => string,
  place?: StreamPlace,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          place?.alive(Date.now());
          if (done !== true) return controller.enqueue(encoder.encode(encode(value)));
        } catch (error) {
          place?.ended();
          throw error;
        }
        place?.ended();
        controller.close();
      },
      cancel() {
        // Not awaited, because the generator may be in the middle of a wait.
        void parts.return().finally(() => place?.ended());
      },
    },
    { highWaterMark: 0 },
  );
}
