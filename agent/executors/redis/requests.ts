import type { Duplex } from "node:stream";
import { encodeCommand, InvalidReply, isRefusal, type Reply, ReplyParser } from "./resp.ts";

/** The server's own words for a command that it refused. */
export class RefusedByServer extends Error {}

interface Waiting {
  parser: ReplyParser;
  resolve: (reply: Reply) => void;
  reject: (reason: Error) => void;
}

/**
 * Sends commands over an open stream, one at a time. Every fault of the server or of the stream rejects the command that
 * waits, and each later one; no listener throws. Nothing is sent twice.
 */
export function requestsOn(stream: Duplex): (words: readonly string[]) => Promise<Reply> {
  let waiting: Waiting | null = null;
  let ended: Error | null = null;
  const end = (reason: Error): void => {
    ended ??= reason;
    waiting?.reject(ended);
    waiting = null;
    stream.destroy();
  };
  const onClose = (): void => end(new Error("the server closed it"));
  stream.on("error", end);
  stream.on("end", onClose);
  stream.on("close", onClose);
  stream.on("data", (chunk: Buffer) => {
    if (waiting === null) return end(new InvalidReply("there are bytes that belong to no command"));
    try {
      const reply = waiting.parser.push(chunk);
      if (reply === undefined) return;
      const { resolve, reject } = waiting;
      waiting = null;
      if (isRefusal(reply)) reject(new RefusedByServer(reply.error));
      else resolve(reply);
    } catch (error) {
      end(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return (words) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    if (ended !== null) reject(ended);
    else {
      waiting = { parser: new ReplyParser(), resolve, reject };
      stream.write(encodeCommand(words));
    }
    return promise;
  };
}
