import { once } from "node:events";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Duplex } from "node:stream";
import { z } from "zod";
import { problemSchema } from "../../schema/contract/problem.ts";
import { readBounded } from "../service/bounded-body.ts";
import { unanswered, withoutProof } from "./not-proven.ts";
import { challenge, PROOF_PATH } from "./proof.ts";

const ANSWER_MAX_BYTES = 16 * 1_024 * 1_024;
const proofSchema = z.object({ data: z.object({ proof: z.string() }) });

export interface AdminPlace {
  /** The recorded address: `http://127.0.0.1:<port>`. */
  url: string;
  token: string;
  /** The limit for each exchange. */
  timeoutMs: number;
}

export interface AdminAnswer {
  status: number;
  /** Undefined when the answer is not JSON. */
  body: unknown;
}

/**
 * A TCP connection to an admin API that has proven on this connection that it has the admin token. The token and
 * secrets are sent in no other way: while the agent is down, any user of the machine may listen on its port.
 */
export class AdminConnection {
  private constructor(
    private readonly place: AdminPlace,
    private readonly agent: OneConnectionAgent,
  ) {}

  /** Throws NotProven. */
  static async open(place: AdminPlace): Promise<AdminConnection> {
    const socket = await connected(place);
    const connection = new AdminConnection(place, new OneConnectionAgent(socket));
    try {
      await connection.#prove(socket);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Throws NotProven when the connection was lost. */
  send(method: string, path: string, body?: object): Promise<AdminAnswer> {
    return this.#exchange(method, path, `Bearer ${this.place.token}`, body);
  }

  close(): void {
    this.agent.close();
  }

  async #prove({ localAddress, localPort, remoteAddress, remotePort }: Socket): Promise<void> {
    const { token, url } = this.place;
    const ends = { agent: `${remoteAddress}:${remotePort}`, client: `${localAddress}:${localPort}` };
    const asked = challenge({ token, ends });
    const { status, body } = await this.#exchange("GET", PROOF_PATH, asked.header);
    const answer = proofSchema.safeParse(body);
    if (status === 200 && answer.success && asked.isAnsweredBy(answer.data.data.proof)) return;
    throw withoutProof(url, problemSchema.safeParse(body).data?.code ?? null);
  }

  async #exchange(method: string, path: string, authorization: string, body?: object): Promise<AdminAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<AdminAnswer>();
    const bytes = body === undefined ? null : Buffer.from(JSON.stringify(body));
    const sent = request({
      agent: this.agent,
      method,
      path,
      setHost: false,
      headers: {
        Host: new URL(this.place.url).host,
        Authorization: authorization,
        ...(bytes === null ? {} : { "Content-Type": "application/json", "Content-Length": bytes.length }),
      },
      signal: AbortSignal.timeout(this.place.timeoutMs),
    });
    let answered = false;
    sent.on("response", (response) => {
      answered = true;
      readBounded(Readable.toWeb(response), ANSWER_MAX_BYTES)
        .then((text) => resolve({ status: response.statusCode ?? 0, body: parseJson(text) }))
        .catch(reject);
    });
    sent.on("error", reject);
    sent.on("close", () => answered || reject(new Error("it closed the connection")));
    sent.end(bytes ?? undefined);
    try {
      return await promise;
    } catch (error) {
      this.close();
      throw unanswered(this.place.url, error);
    }
  }
}

/** Has one connection and never opens another. */
class OneConnectionAgent extends Agent {
  #unused: Socket | null;

  constructor(private readonly socket: Socket) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#unused = socket;
  }

  override createConnection(_options: object, done: (error: Error | null, socket: Duplex) => void): Duplex | undefined {
    const socket = this.#unused;
    this.#unused = null;
    if (socket !== null) return socket;
    done(new Error("it closed the connection"), this.socket);
    return undefined;
  }

  close(): void {
    this.destroy();
    this.socket.destroy();
  }
}

async function connected({ url, timeoutMs }: AdminPlace): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), noDelay: true });
  // An error between two requests must not end the process. The next request reports it.
  socket.on("error", () => undefined);
  try {
    await once(socket, "connect", { signal: AbortSignal.timeout(timeoutMs) });
    return socket;
  } catch (error) {
    socket.destroy();
    throw unanswered(url, error);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
