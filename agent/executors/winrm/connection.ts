import { Agent, type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { dial } from "../shared/dial.ts";
import { errorMessage, ExecutorFailure } from "../shared/failures.ts";
import { startTls } from "../shared/start-tls.ts";

const BODY_MAX_BYTES = 1_048_576;

export interface Place {
  host: string;
  port: number;
  useSsl: boolean;
}

export interface Answer {
  status: number;
  contentType: string;
  /** The host's authentication schemes, as it lists them: `Negotiate`, `Basic realm="WSMAN"`. */
  offers: string[];
  server: string;
  body: Buffer;
}

export interface Post {
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  timeoutMs: number;
}

/** Sequential HTTP requests over one socket only: NTLM authenticates the connection, so no other user may share it. */
export class HostConnection {
  readonly #agent: OneConnectionAgent;
  #lost = false;

  private constructor(
    readonly socket: Duplex,
    readonly place: Place,
  ) {
    this.#agent = new OneConnectionAgent(socket);
    socket.once("close", () => {
      this.#lost = true;
    });
  }

  /** Throws `unreachable`, `tls_error` or `job_ended`. `passed` is called after each stage. */
  static async open(
    place: Place,
    options: {
      timeoutMs: number;
      signal: AbortSignal;
      passed?: (stage: "TCP connection" | "TLS", detail: string) => void;
    },
  ): Promise<HostConnection> {
    const where = whereOf(place);
    const raw = await dial({ ...place, timeoutMs: options.timeoutMs, signal: options.signal });
    options.passed?.("TCP connection", `${where} accepts connections.`);
    if (!place.useSsl) return new HostConnection(raw, place);
    const socket = await secured(raw, place, options);
    options.passed?.("TLS", "The certificate is valid for this host.");
    return new HostConnection(socket, place);
  }

  /** Throws `connection_lost`, also when no complete answer arrives within `timeoutMs`. */
  async post({ path, headers, body, timeoutMs }: Post): Promise<Answer> {
    if (this.#lost) throw this.#lostFailure("it was closed");
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request({
      agent: this.#agent,
      method: "POST",
      path,
      setHost: false,
      headers: {
        host: authorityOf(this.place),
        "user-agent": "bellhop-agent",
        ...headers,
        "content-length": body.length,
      },
    });
    const timer = setTimeout(() => sent.destroy(new Error(`no answer came within ${timeoutMs / 1_000} s`)), timeoutMs);
    let answered = false;
    sent.on("response", (response) => {
      answered = true;
      readAll(response).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.on("close", () => answered || reject(new Error("the host closed it")));
    sent.end(body);
    try {
      return await promise;
    } catch (error) {
      this.close();
      throw error instanceof ExecutorFailure ? error : this.#lostFailure(errorMessage(error), error);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#lost = true;
    this.#agent.destroy();
    this.socket.destroy();
  }

  #lostFailure(why: string, cause?: unknown): ExecutorFailure {
    const message = `The connection to ${whereOf(this.place)} was lost: ${why}.`;
    return new ExecutorFailure("connection_lost", message, null, { cause });
  }
}

export function whereOf({ host, port }: Place): string {
  return `${host}:${port}`;
}

/** The authority of a URL, with brackets around an IPv6 address. */
export function authorityOf({ host, port }: Place): string {
  return `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`;
}

class OneConnectionAgent extends Agent {
  #socket: Duplex | null;

  constructor(socket: Duplex) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#socket = socket;
  }

  override createConnection(): Duplex {
    const socket = this.#socket;
    this.#socket = null;
    if (socket === null) throw new Error("the host closed it");
    return socket;
  }
}

async function secured(
  raw: Duplex,
  place: Place,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<Duplex> {
  const where = whereOf(place);
  const late = AbortSignal.timeout(options.timeoutMs);
  const signal = AbortSignal.any([options.signal, late]);
  try {
    return await startTls(raw, {
      host: place.host,
      where,
      verify: true,
      alpnProtocols: ["http/1.1"],
      peer: "peer",
      signal,
      failed: (reason, cause) => tlsError(where, reason, cause),
    });
  } catch (error) {
    if (late.aborted && !options.signal.aborted) {
      const message = `${where} accepted the connection but did not finish the TLS handshake in ${options.timeoutMs / 1_000} s. Check that this is the HTTPS port of WinRM (5986 by default).`;
      throw new ExecutorFailure("tls_error", message, null, { cause: error });
    }
    throw error;
  }
}

function tlsError(where: string, reason: string, cause: unknown): ExecutorFailure {
  const message =
    `No secure connection to ${where}: ${reason}. If this is the HTTPS port of WinRM ` +
    "(5986 by default): install the issuer's certificate on the agent's host (or name its file in NODE_EXTRA_CA_CERTS), and " +
    "use the name that the certificate was made for. The certificate is always checked.";
  return new ExecutorFailure("tls_error", message, null, { cause });
}

async function readAll(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > BODY_MAX_BYTES) {
      response.destroy();
      const message =
        "The host's answer is much larger than the agent asked for. Check which program answers on this port.";
      throw new ExecutorFailure("invalid_response", message);
    }
    chunks.push(bytes);
  }
  const offered = [response.headers["www-authenticate"] ?? ""].flat().join(", ");
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers["content-type"] ?? "",
    offers: offered.split(/,\s*(?=[A-Za-z]+(?:\s|,|$))/u).filter((offer) => offer !== ""),
    server: [response.headers["server"] ?? ""].flat().join(", "),
    body: Buffer.concat(chunks),
  };
}
