import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { selfSigned } from "./certificate.ts";
import { ENCRYPTION, preloginAnswer, readLogin, readPrelogin } from "./tds/login.ts";
import { Bytes, PACKET, packetsOf, ProtocolError, readMessage } from "./tds/packets.ts";
import { TlsEngine } from "./tds/secure.ts";
import { type Journal, serveSession } from "./tds/session.ts";
import { changeToken, collationToken, doneToken, errorToken, loginAckToken, routingToken } from "./tds/tokens.ts";

export { ENDLESS_QUERY, SLOW_QUERY } from "./tds/statements.ts";

export interface TdsServerOptions {
  /** `required` refuses clients without encryption, `missing` has no certificate. */
  encryption?: "offered" | "required" | "missing";
  /** The names in the certificate; by default 127.0.0.1. */
  subjectAltName?: string;
}

/**
 * A strict stand-in for SQL Server, which is not available here: TDS 7.4 (MS-TDS) with TLS inside of PRELOGIN, logins,
 * batches, sp_executesql with typed parameters, results, errors, transactions and ATTENTION. It closes the connection
 * on any violation of the specification and records the reason. FreeTDS is its second, independent client.
 */
export class TdsServer {
  readonly host = "127.0.0.1";
  port = 0;
  readonly database = "shop";
  readonly username = "svc_reader";
  readonly password = `pä§s-${crypto.randomUUID()}`;
  readonly journal: Journal = { served: [], committed: [] };
  /** The clients' mistakes. */
  readonly violations: string[] = [];
  readonly applications: string[] = [];
  /** Where clients are redirected after their login; null to serve them here. */
  routeTo: { host: string; port: number } | null = null;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly encryption: NonNullable<TdsServerOptions["encryption"]>,
    private readonly tls: TlsEngine | null,
    private readonly directory: string,
  ) {
    server.on("connection", (socket) => void this.#serve(socket));
  }

  static async start({
    encryption = "offered",
    subjectAltName = "IP:127.0.0.1",
  }: TdsServerOptions = {}): Promise<TdsServer> {
    const certificate = await selfSigned(subjectAltName);
    const tls = encryption === "missing" ? null : await TlsEngine.start(certificate);
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const directory = await mkdtemp(join(tmpdir(), "bellhop-tds-"));
    const fake = new TdsServer(server, encryption, tls, directory);
    await writeFile(fake.certificateFile, certificate.cert);
    const address = server.address();
    fake.port = typeof address === "object" && address !== null ? address.port : 0;
    return fake;
  }

  /** PEM; a client must trust it. */
  get certificateFile(): string {
    return join(this.directory, "certificate.pem");
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Drops every connection without notice. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.dropConnections();
    this.tls?.stop();
    await new Promise((resolve) => this.server.close(resolve));
    await rm(this.directory, { recursive: true, force: true });
  }

  async #serve(socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
    try {
      await this.#converse(socket);
    } catch (error) {
      socket.destroy();
      if (!(error instanceof ProtocolError)) throw error;
      this.violations.push(error.message);
    }
  }

  async #converse(socket: Socket): Promise<void> {
    const plain = new Bytes(socket);
    const first = await readMessage(plain);
    if (first === null) return;
    if (first.type !== PACKET.prelogin) throw new ProtocolError("a client begins with PRELOGIN");
    const wanted = readPrelogin(first.body);
    const agreed = this.#agree(wanted);
    socket.write(packetsOf(PACKET.answer, preloginAnswer(agreed), true));
    const encrypted = agreed === ENCRYPTION.on || agreed === ENCRYPTION.required;
    if (!encrypted) return await this.#session(plain, socket);
    const secure = (await this.tls?.accept(plain)) ?? null;
    if (secure !== null) await this.#session(new Bytes(secure), secure);
  }

  /** MS-TDS 2.2.6.5, the table of both sides' values. Encryption of the login alone is not offered. */
  #agree(wanted: number): number {
    if (this.encryption === "missing") return ENCRYPTION.notSupported;
    if (wanted === ENCRYPTION.on || wanted === ENCRYPTION.required) return ENCRYPTION.on;
    return this.encryption === "required" ? ENCRYPTION.required : ENCRYPTION.notSupported;
  }

  async #session(bytes: Bytes, stream: Duplex): Promise<void> {
    const message = await readMessage(bytes);
    if (message === null) return;
    if (message.type !== PACKET.login) throw new ProtocolError("a client logs in before anything else");
    const login = readLogin(message.body);
    this.applications.push(login.application);
    const refused = doneToken("done", { error: true });
    const failed = errorToken(18_456, `Login failed for user '${login.username}'.`, 14);
    if (login.username !== this.username || login.password !== this.password) {
      stream.end(packetsOf(PACKET.answer, Buffer.concat([failed, refused]), true));
      return;
    }
    if (login.database !== this.database) {
      const text = `Cannot open database "${login.database}" requested by the login. The login failed.`;
      stream.end(packetsOf(PACKET.answer, Buffer.concat([errorToken(4_060, text, 11), failed, refused]), true));
      return;
    }
    const welcome = [changeToken(1, login.database), collationToken(), loginAckToken(), changeToken(4, "4096")];
    const route = this.routeTo === null ? [] : [routingToken(this.routeTo)];
    stream.write(packetsOf(PACKET.answer, Buffer.concat([...welcome, ...route, doneToken("done")]), true));
    if (this.routeTo !== null) return;
    await serveSession(bytes, stream, this.journal);
    stream.end();
  }
}
