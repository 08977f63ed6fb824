import type { Socket } from "bun";

/** Requests /healthz over one connection, each time after the last answer. */
export interface HealthzProbe {
  /** The waits of the requests in milliseconds, from before the work began until after it ended. */
  during<T>(work: () => Promise<T>): Promise<{ result: T; waitedMs: number[] }>;
  close(): void;
}

export async function openHealthzProbe(url: string): Promise<HealthzProbe> {
  const { hostname, port, host } = new URL(url);
  const request = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  let received = "";
  let answered = Promise.withResolvers<undefined>();
  const socket: Socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_socket, chunk) => {
        received += chunk.toString("latin1");
        const head = received.indexOf("\r\n\r\n");
        const length = Number(/\r\ncontent-length: (\d+)/iu.exec(received)?.[1]);
        if (head < 0 || received.length < head + 4 + length) return;
        if (received.startsWith("HTTP/1.1 200")) answered.resolve(undefined);
        else answered.reject(new Error(`/healthz answered ${received.slice(0, 200)}`));
        received = "";
      },
      close: () => answered.reject(new Error("the service closed the connection")),
    },
  });
  const ask = async (): Promise<number> => {
    answered = Promise.withResolvers();
    const sentAt = performance.now();
    socket.write(request);
    await answered.promise;
    return performance.now() - sentAt;
  };
  return {
    during: async (work) => {
      const waitedMs = [await ask()];
      const state = { isDone: false };
      const done = work().finally(() => (state.isDone = true));
      do waitedMs.push(await ask());
      while (!state.isDone);
      return { result: await done, waitedMs };
    },
    close: () => {
      answered.promise.catch(() => undefined);
      socket.end();
    },
  };
}
