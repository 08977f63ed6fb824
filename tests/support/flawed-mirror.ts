import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The fault of an answer on its way. */
export type Flaw =
  | { kind: "none" }
  /** The headers promise the whole body, and the connection ends after this many bytes. */
  | { kind: "cut"; afterBytes: number }
  | { kind: "replaced"; status: number; body: Buffer };

export interface FlawedMirror {
  url: string;
  /** Every received request with its `Range`. */
  requests: { path: string; range: string | undefined }[];
  stop(): Promise<void>;
}

/**
 * Forwards GETs to a service in its own name (the service sees the mirror's address), and spoils answers. `flaw` is
 * called with the path and the answer's body.
 */
export async function startFlawedMirror(
  origin: string,
  flaw: (path: string, body: Buffer, count: number) => Flaw,
): Promise<FlawedMirror> {
  const mirror: FlawedMirror = { url: "", requests: [], stop: () => Promise.resolve() };
  const counts = new Map<string, number>();
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/";
    mirror.requests.push({ path, range: request.headers.range });
    const answer = await fetch(origin + path, {
      headers: new Headers(
        Object.entries(request.headers).flatMap(([k, v]) => (typeof v === "string" ? [[k, v]] : [])),
      ),
      redirect: "manual",
      decompress: false,
    });
    const body = Buffer.from(await answer.arrayBuffer());
    const count = counts.get(path) ?? 0;
    counts.set(path, count + 1);
    const spoiled = flaw(path, body, count);
    if (spoiled.kind === "replaced") {
      response.writeHead(spoiled.status, { "Content-Length": String(spoiled.body.length) }).end(spoiled.body);
      return;
    }
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (spoiled.kind === "none") response.end(body);
    else response.write(body.subarray(0, spoiled.afterBytes), () => response.destroy());
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  mirror.url = `http://127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  mirror.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return mirror;
}
