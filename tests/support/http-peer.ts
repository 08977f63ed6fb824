/** One request as the peer received it. */
export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

export type PeerAnswer = Response | "hang";

export interface HttpPeer {
  readonly url: string;
  readonly requests: PeerRequest[];
  /** The answer to a request; `hang` keeps the caller waiting until `release`. */
  answer: (request: PeerRequest, number: number) => PeerAnswer;
  /** Answers waiting requests with 200. */
  release(): void;
  stop(): Promise<void>;
}

/** A real HTTP server that records its requests. */
export function startHttpPeer(answer: HttpPeer["answer"] = () => new Response("ok")): HttpPeer {
  const requests: PeerRequest[] = [];
  const released = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch: async (incoming): Promise<Response> => {
      const { pathname, search } = new URL(incoming.url);
      const request: PeerRequest = {
        method: incoming.method,
        path: pathname + search,
        headers: incoming.headers,
        body: await incoming.text(),
      };
      requests.push(request);
      const answer = peer.answer(request, requests.length);
      if (answer !== "hang") return answer;
      await released.promise;
      return new Response("at last");
    },
  });
  const peer: HttpPeer = {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    answer,
    release: () => released.resolve(),
    stop: async () => {
      released.resolve();
      await server.stop(true);
    },
  };
  return peer;
}
