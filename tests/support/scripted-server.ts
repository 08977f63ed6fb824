import { createServer, type Socket } from "node:net";

export interface ScriptedServer {
  port: number;
  /** Every received line. */
  lines: string[];
  /** The number of open connections. */
  open: number;
  stop(): Promise<void>;
}

/**
 * A server with scripted answers: `answer` is called at the beginning (with null) and for each line; null means silence
 * until a later answer. For answers that no real server would give.
 */
export async function startScriptedServer(
  answer: (line: string | null, say: (text: string) => void) => string | null,
  host = "127.0.0.1",
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>();
  const say = (socket: Socket, text: string | null): void => void (text === null || socket.write(`${text}\r\n`));
  const server = createServer((socket) => {
    sockets.add(socket);
    scripted.open += 1;
    let rest = "";
    socket.on("error", () => undefined);
    socket.on("close", () => {
      sockets.delete(socket);
      scripted.open -= 1;
    });
    socket.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("utf8")).split("\r\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        scripted.lines.push(line);
        say(
          socket,
          answer(line, (text) => say(socket, text)),
        );
      }
    });
    say(
      socket,
      answer(null, (text) => say(socket, text)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  const scripted: ScriptedServer = {
    port: address !== null && typeof address === "object" ? address.port : 0,
    lines: [],
    open: 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return scripted;
}
