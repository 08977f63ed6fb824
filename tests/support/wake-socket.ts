import { AGENT_API_PATH, SESSION_HEADER } from "../../schema/contract/agent.ts";
import type { AgentClient } from "./agent-client.ts";
import { eventually } from "./eventually.ts";

/** An agent's wake socket in a test: its messages, and how it ended. */
export class WakeSocketProbe {
  readonly messages: string[] = [];
  readonly #socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.messages.push(String(data)));
  }

  /** Throws when the service refuses. */
  static async open(agent: AgentClient): Promise<WakeSocketProbe> {
    const url = `${agent.bellhop.url}${AGENT_API_PATH}/wake`.replace(/^http/u, "ws");
    const headers = { Authorization: `Bearer ${agent.key}`, [SESSION_HEADER]: agent.session ?? "" };
    const socket = new WebSocket(url, { headers });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("close", ({ code }) => reject(new Error(`the socket was refused (${code})`)));
    const probe = new WakeSocketProbe(socket);
    await promise;
    return probe;
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }

  /** Waits until the socket has received `count` messages. */
  async wakeCount(count: number): Promise<void> {
    await eventually(`${count} messages of the socket`, () => this.messages.length >= count);
  }

  /** workerd keeps the connection open when an object closes a socket from elsewhere, so that `close` comes late. */
  async end(): Promise<void> {
    await eventually("the socket to be closed", () => this.#socket.readyState >= WebSocket.CLOSING);
  }
}
