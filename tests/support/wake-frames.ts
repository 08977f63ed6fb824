import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { AGENT_API_PATH, SESSION_HEADER } from "../../schema/contract/agent.ts";
import type { AgentClient } from "./agent-client.ts";
import { eventually } from "./eventually.ts";
import { sendRaw } from "./raw-http.ts";

const TEXT = 0x1;
const CLOSE = 0x8;

/**
 * An agent's wake socket, frame by frame (RFC 6455, 5.2): workerd may leave a closed connection open, and a WebSocket
 * client then does not report the close code.
 */
export class WakeFrames {
  readonly #socket: Socket;
  readonly #received: () => Buffer;

  private constructor(socket: Socket, received: () => Buffer) {
    this.#socket = socket;
    this.#received = received;
  }

  static async open({ bellhop, key, session }: AgentClient): Promise<WakeFrames> {
    const head = [
      `GET ${AGENT_API_PATH}/wake HTTP/1.1`,
      `Host: ${new URL(bellhop.url).host}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Key: ${randomBytes(16).toString("base64")}`,
      `Authorization: Bearer ${key}`,
      `${SESSION_HEADER}: ${session}`,
    ];
    const { socket, text, statuses } = sendRaw(bellhop.url, `${head.join("\r\n")}\r\n\r\n`);
    await eventually("the answer to the upgrade", () => text().includes("\r\n\r\n"));
    if (statuses()[0] !== 101) throw new Error(`the upgrade was answered ${text()}`);
    return new WakeFrames(socket, () => Buffer.from(text().slice(text().indexOf("\r\n\r\n") + 4), "latin1"));
  }

  /** The frames received so far: texts, and `close <code>`. */
  get said(): string[] {
    const said: string[] = [];
    let bytes = this.#received();
    // No frame of the service has 126 bytes or more.
    while (bytes.length >= 2 && bytes.length >= 2 + (bytes[1] ?? 0)) {
      const opcode = (bytes[0] ?? 0) & 0x0f;
      const payload = bytes.subarray(2, 2 + (bytes[1] ?? 0));
      bytes = bytes.subarray(2 + payload.length);
      if (opcode === TEXT) said.push(payload.toString());
      if (opcode === CLOSE) said.push(`close ${payload.readUInt16BE()}`);
    }
    return said;
  }

  async saidLast(words: string): Promise<void> {
    await eventually(`the socket to say ${words}`, () => this.said.at(-1) === words);
  }

  /** Client frames are masked; this mask changes nothing. */
  send(text: string): void {
    const payload = Buffer.from(text);
    this.#socket.write(Buffer.from([0x80 | TEXT, 0x80 | payload.length, 0, 0, 0, 0, ...payload]));
  }

  /** Cuts the connection, as after a crash. */
  cut(): void {
    this.#socket.destroy();
  }
}
