import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import type { JsonObject } from "../../../schema/contract/json.ts";
import { type ClusterCertificates, clusterCertificates, type KeyAndCert } from "./certificates.ts";
import { deploymentList, DISCOVERY } from "./kubectl-discovery.ts";
import { type ApiAnswer, type ApiRequest, answerTo, refusal } from "./requests.ts";
import { ClusterState } from "./state.ts";
import { vendorApi } from "../vendor-api/index.ts";
import { KUBERNETES } from "../vendor-api/kubernetes.ts";

const vendor = vendorApi(KUBERNETES, "kubernetes.json");

/**
 * A test's replacement for the usual answer to a request, including one that stalls after its head; null for the usual
 * answer.
 */
export type Intervention = ApiAnswer | "hang" | "close" | { stall: number } | null;

export interface KubeconfigOptions {
  server?: string;
  cluster?: JsonObject;
  user?: JsonObject;
}

/**
 * A small Kubernetes API over TLS, stateful and strict: every request is checked against the API's description, and
 * unknown fields, parameters and content types are refused (and noted in `violations`). Callers authenticate with a
 * client certificate or a bearer token; anonymous callers may only read the version.
 */
export class KubernetesApi {
  readonly state = new ClusterState();
  /** The service account's token; changing it ends the one before. */
  token = `sa-${crypto.randomUUID()}`;
  readonly requests: ApiRequest[] = [];
  readonly violations: string[] = [];
  /** Rollouts end immediately; a test that needs their intermediate states sets it to false and moves them itself. */
  settles = true;
  intervene: (request: ApiRequest) => Intervention = () => null;
  /** Endless answers in progress. */
  openStreams = 0;
  /** Unanswered requests whose caller still waits. */
  hanging = 0;
  readonly #sockets = new Set<TLSSocket>();
  #http: Server;
  #tls: ReturnType<typeof createTlsServer>;

  private constructor(readonly certificates: ClusterCertificates) {
    this.#http = createHttpServer((request, response) => void this.#serve(request, response));
    const { server, authority } = certificates;
    this.#tls = createTlsServer(
      { ...server, ca: authority, requestCert: true, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] },
      (socket) => {
        this.#sockets.add(socket);
        socket.on("error", () => undefined);
        socket.on("close", () => this.#sockets.delete(socket));
        this.#http.emit("connection", socket);
      },
    );
    this.#tls.on("tlsClientError", () => undefined);
  }

  static async start(): Promise<KubernetesApi> {
    const api = new KubernetesApi(await clusterCertificates());
    await new Promise<void>((resolve) => api.#tls.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get port(): number {
    const address = this.#tls.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** A kubeconfig with one context, `test`, as JSON, which is YAML; by default with alice's client certificate. */
  kubeconfig({ server = this.url, cluster, user }: KubeconfigOptions = {}): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "test",
      clusters: [
        {
          name: "test-cluster",
          cluster: { server, ...(cluster ?? { "certificate-authority-data": this.authorityData }) },
        },
      ],
      users: [{ name: "test-user", user: user ?? clientCertificate(this.certificates.client) }],
      contexts: [{ name: "test", context: { cluster: "test-cluster", user: "test-user", namespace: "elsewhere" } }],
    });
  }

  get authorityData(): string {
    return base64(this.certificates.authority);
  }

  /** Ends every open connection. */
  breakOff(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.breakOff();
    await new Promise((resolve) => this.#tls.close(resolve));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(request);
    const answer = this.intervene(request) ?? this.#answer(request, incoming.socket);
    if (answer === "close") return void incoming.socket.destroy();
    if (answer === "hang" || "stall" in answer) {
      this.hanging += 1;
      incoming.socket.on("close", () => (this.hanging -= 1));
      if (answer === "hang") return;
      response.writeHead(answer.stall, { "content-type": "application/json", "content-length": "500" });
      response.write("{");
      return;
    }
    if ("log" in answer) return await this.#writeLog(answer, response);
    response.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
    response.end(JSON.stringify(answer.body));
  }

  #answer(request: ApiRequest, socket: IncomingMessage["socket"]): ApiAnswer {
    const user = this.#userOf(request, socket);
    if (user === null) return refusal(401, "Unauthorized", "Unauthorized");
    const open = request.path === "/version/" || request.path === "/version";
    if (user === "system:anonymous" && !open) {
      const verb = request.method.toLowerCase();
      return refusal(403, "Forbidden", `forbidden: User "system:anonymous" cannot ${verb} path "${request.path}"`);
    }
    const discovered = DISCOVERY[request.path] ?? deploymentList(request.path, request.query, this.state);
    if (discovered !== null && request.method === "GET") return { status: 200, body: discovered };
    const answer = answerTo(request, this.state, vendor);
    if (answer.status === 400 && "body" in answer) this.violations.push(JSON.stringify(answer.body));
    if (request.method === "PATCH" && answer.status === 200 && this.settles) this.#settle(request.path);
    return answer;
  }

  #settle(path: string): void {
    const [, namespace = "", name = ""] = /\/namespaces\/([^/]+)\/deployments\/([^/]+)/u.exec(path) ?? [];
    this.state.finish(name, namespace);
  }

  /** Null for a wrong credential, which is worse than none. */
  #userOf({ authorization }: ApiRequest, socket: IncomingMessage["socket"]): string | null {
    if (authorization !== null)
      return authorization === `Bearer ${this.token}` ? "system:serviceaccount:ops:bellhop" : null;
    if (!("getPeerCertificate" in socket) || !(typeof socket.getPeerCertificate === "function")) return null;
    const subject: unknown = socket.getPeerCertificate()?.subject;
    if (subject === undefined || subject === null) return "system:anonymous";
    if (!("authorized" in socket) || socket.authorized !== true) return null;
    return typeof subject === "object" && "CN" in subject ? String(subject.CN) : null;
  }

  async #writeLog(
    { log, tailLines, previous, sinceSeconds }: Extract<ApiAnswer, { log: unknown }>,
    response: ServerResponse,
  ): Promise<void> {
    response.writeHead(200, { "content-type": "text/plain" });
    const old = sinceSeconds !== undefined && sinceSeconds !== null && sinceSeconds < 3_600 ? "" : (log.old ?? "");
    const text = previous ? (log.previous ?? "") : `${old}${log.text ?? ""}`;
    const lines = text.split(/(?<=\n)/u);
    response.write(tailLines === null ? text : lines.slice(-tailLines).join(""));
    if (log.endless === undefined) return void response.end();
    this.openStreams += 1;
    response.on("close", () => (this.openStreams -= 1));
    while (!response.destroyed && !response.closed) {
      if (!response.write(log.endless)) {
        await new Promise<void>((resolve) => {
          response.once("drain", resolve);
          response.once("close", resolve);
        });
      } else await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

/** The user of a kubeconfig with a client certificate. */
export function clientCertificate({ cert, key }: KeyAndCert): JsonObject {
  return { "client-certificate-data": base64(cert), "client-key-data": base64(key) };
}

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

async function readRequest(incoming: IncomingMessage): Promise<ApiRequest> {
  const url = new URL(incoming.url ?? "/", "https://api");
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  const header = (name: string): string | null => [incoming.headers[name] ?? []].flat().join(",") || null;
  return {
    method: incoming.method ?? "",
    path: url.pathname,
    query: url.searchParams,
    contentType: header("content-type"),
    body: Buffer.concat(chunks).toString("utf8"),
    authorization: header("authorization"),
    impersonated: { user: header("impersonate-user"), groups: repeated(incoming, "impersonate-group") },
  };
}

/**
 * The separate values of a header that may be repeated: in a joined text `a, b` and `a` and `b` would look the same.
 */
function repeated({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
