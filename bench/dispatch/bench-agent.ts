import { z } from "zod";
import {
  AGENT_API_PATH,
  AGENT_FEATURES,
  SESSION_HEADER,
  jobsResponseSchema,
  registerResponseSchema,
} from "../../schema/contract/agent.ts";
import type { Api } from "../../scripts/local/api.ts";

const PUBLIC_KEY = {
  kty: "EC",
  crv: "P-256",
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
};
const CALL_LIMIT_MS = 30_000;
const polledSchema = z.object({ data: jobsResponseSchema.pick({ pollAfterSeconds: true }) });

/** An idle agent that follows the agents' contract. */
export class BenchAgent {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #socket: WebSocket | null = null;
  #pongs = 0;

  private constructor(url: string, headers: Record<string, string>) {
    this.#url = `${url}${AGENT_API_PATH}`;
    this.#headers = headers;
  }

  static async register(url: string, api: Api, poolId: string): Promise<BenchAgent> {
    const { apiKey } = await onceMore(() =>
      api.post("/agents", { name: "bench", poolId }, z.object({ apiKey: z.string() })),
    );
    const headers = headersOf(apiKey);
    const registration = {
      protocol: 1,
      name: "bench",
      version: "1",
      os: "linux",
      arch: "x64",
      capabilities: ["script"],
      features: AGENT_FEATURES,
      publicKey: PUBLIC_KEY,
      maxConcurrentJobs: 5,
      pollIntervalSeconds: 5,
      instanceId: crypto.randomUUID(),
      journalId: crypto.randomUUID(),
    };
    const answer = await new BenchAgent(url, headers).#call("/register", registration);
    const { session } = z.object({ data: registerResponseSchema }).parse(answer).data;
    return new BenchAgent(url, { ...headers, [SESSION_HEADER]: session });
  }

  /** For an agent that is already registered. */
  static registered(url: string, { key, session }: { key: string; session: string }): BenchAgent {
    return new BenchAgent(url, { ...headersOf(key), [SESSION_HEADER]: session });
  }

  /** Returns the seconds until an idle agent's next poll; null when the service does not say. */
  async poll(): Promise<number | null> {
    const answer = await this.#call("/jobs?capacity=5&held=");
    return polledSchema.parse(answer).data.pollAfterSeconds ?? null;
  }

  async heartbeat(): Promise<void> {
    await this.#call("/heartbeat", { held: [], load: 0, version: "1", credentials: [] });
  }

  /** Opens the wake socket. */
  async openWake(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = new WebSocket(`${this.#url.replace(/^http/u, "ws")}/wake`, {
      headers: this.#headers,
      // As the agent opens it: compression buffers for all sockets together would take gigabytes.
      perMessageDeflate: false,
    });
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", () => reject(new Error("the wake socket did not open")));
    socket.addEventListener("message", ({ data }) => {
      if (data === "pong") this.#pongs += 1;
    });
    this.#socket = socket;
    await promise;
  }

  get hasWake(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  ping(): void {
    this.#socket?.send("ping");
  }

  /** The number of answered pings. */
  get pongs(): number {
    return this.#pongs;
  }

  closeWake(): void {
    this.#socket?.close();
    this.#socket = null;
  }

  #call(path: string, body?: unknown): Promise<unknown> {
    return onceMore(() => this.#callOnce(path, body));
  }

  async #callOnce(path: string, body: unknown): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: this.#headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_LIMIT_MS),
    });
    const answer: unknown = await response.json();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer;
  }
}

function headersOf(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
}

/** workerd may close an idle connection at the moment of its next use. Each call may be repeated. */
async function onceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ECONNRESET") return work();
    throw error;
  }
}
