import net from "node:net";
import { Readable } from "node:stream";
import tls from "node:tls";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { readRejected, readReply, readSmtpFailure } from "../../../schema/contract/smtp-reply.ts";
import type { ChannelAnswer } from "../../domain/notification/answer.ts";
import type { SmtpServer } from "../../../schema/settings/notification.ts";
import type { Mask } from "./mask.ts";
import type { AttemptControl } from "./prepared.ts";

const SECOND_MS = 1_000;
const CONNECT_LIMIT_MS = 15 * SECOND_MS;
/** Servers may check a message first (RFC 5321, 4.5.3.2.6); the attempt's own limit usually ends before this one. */
const SILENCE_LIMIT_MS = 10 * 60 * SECOND_MS;
const PART_CHARS = 65_536;
const TOO_LARGE_CODE = 552;

export interface SmtpLetter {
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** Headers and body, with CRLF. */
  readonly message: string;
  /** With angle brackets. */
  readonly messageId: string;
  /** The sender's domain, for EHLO. */
  readonly name: string;
}

/**
 * Hands one message to a mail server; never throws for errors of the server. The connection is opened here, since
 * nodemailer would query a public DNS service, and only the system knows the names of a private network.
 */
export async function sendBySmtp(
  server: SmtpServer,
  letter: SmtpLetter,
  { signal, noteHandover, mask }: AttemptControl & { mask: Mask },
): Promise<ChannelAnswer> {
  let socket: net.Socket;
  try {
    socket = await openSocket(server, signal);
  } catch (error) {
    return { type: "unreachable", detail: mask(`${placeOf(server)}: ${openingFailure(error, server)}`) };
  }
  const session = new Session(server, letter, socket, { signal, noteHandover });
  try {
    return await session.run(mask);
  } catch (error) {
    const answer = session.answerOf(error, mask);
    session.close();
    return answer;
  }
}

/** One connection, which sends one message. */
class Session {
  readonly #server: SmtpServer;
  readonly #letter: SmtpLetter;
  readonly #connection: SMTPConnection;
  /** Rejects when the connection ends early. */
  readonly #broken: Promise<never>;
  readonly #noteHandover: () => Promise<void>;
  #handedOver = false;

  constructor(server: SmtpServer, letter: SmtpLetter, socket: net.Socket, { signal, noteHandover }: AttemptControl) {
    this.#server = server;
    this.#letter = letter;
    this.#noteHandover = noteHandover;
    this.#connection = new SMTPConnection({
      connection: socket,
      host: server.host,
      port: server.port,
      secure: server.security === "tls",
      secured: server.security === "tls",
      requireTLS: server.security === "starttls",
      ignoreTLS: server.security === "none",
      name: letter.name,
      connectionTimeout: CONNECT_LIMIT_MS,
      greetingTimeout: CONNECT_LIMIT_MS,
      socketTimeout: SILENCE_LIMIT_MS,
      maxResponseSize: 65_536,
    });
    const broken = Promise.withResolvers<never>();
    this.#connection.on("error", broken.reject);
    this.#connection.once("end", () => broken.reject(new Error("The server closed the connection.")));
    signal.addEventListener("abort", () => broken.reject(new Error("It took too long.")), { once: true });
    broken.promise.catch(() => undefined);
    this.#broken = broken.promise;
  }

  async run(mask: Mask): Promise<ChannelAnswer> {
    const connection = this.#connection;
    const { login } = this.#server;
    await this.#step<void>((resolve, reject) => connection.connect((error) => (error ? reject(error) : resolve())));
    if (login !== null && connection.allowsAuth) {
      const credentials = { user: login.user, pass: login.password };
      await this.#step<void>((resolve, reject) =>
        connection.login({ credentials }, (error) => (error ? reject(error) : resolve())),
      );
    }
    const { envelope, messageId } = this.#letter;
    const size = Buffer.byteLength(this.#letter.message);
    const message = Readable.from(this.#parts(), { objectMode: false });
    const sent = await this.#step<SMTPConnection.SentMessageInfo>((resolve, reject) =>
      connection.send({ from: envelope.from, to: [...envelope.to], size }, message, (error, info) =>
        error ? reject(error) : resolve(info),
      ),
    );
    connection.quit();
    const { statusCode, text } = readReply(sent.response, mask);
    return {
      type: "accepted",
      statusCode: statusCode ?? 250,
      detail: text,
      // Some services replace the Message-ID, and return the new one.
      messageId: sent.serverMessageId === undefined ? messageId : mask(sent.serverMessageId),
      recipients: { accepted: sent.accepted, rejected: readRejected(sent.rejectedErrors, mask) },
    };
  }

  answerOf(error: unknown, mask: Mask): ChannelAnswer {
    const progress = { securing: this.#connection.upgrading === true, handedOver: this.#handedOver };
    const { kind, statusCode, text, rejected } = readSmtpFailure(error, progress, mask);
    if (kind === "too_large") return refused(TOO_LARGE_CODE, text);
    if (kind === "unknown" || statusCode === null) {
      // The platform gives no reason why TLS failed, only its internal number.
      const reason = kind === "tls" ? TLS_FAILED : text.replace(/.*internal error.*/iu, "The connection broke off.");
      const detail = mask(`${placeOf(this.#server)}: ${reason}`);
      return { type: kind === "unknown" ? "unknown" : "unreachable", detail };
    }
    if (kind === "tls") return refused(statusCode, mask(`It does not offer STARTTLS: ${text}`));
    const answer = { ...refused(statusCode, text), login: kind === "login" };
    return rejected.length === 0 ? answer : { ...answer, rejected };
  }

  close(): void {
    this.#connection.close();
  }

  /** The message. nodemailer then sends the final dot, without which a server takes nothing (RFC 5321, 4.1.1.4). */
  async *#parts(): AsyncGenerator<string> {
    const { message } = this.#letter;
    for (let at = 0; at < message.length; at += PART_CHARS) yield message.slice(at, at + PART_CHARS);
    await this.#noteHandover();
    this.#handedOver = true;
  }

  /** One of nodemailer's calls, or the end of the connection, whichever comes first. */
  #step<T>(start: (resolve: (value: T) => void, reject: (error: Error) => void) => void): Promise<T> {
    return Promise.race([new Promise<T>(start), this.#broken]);
  }
}

const TLS_FAILED =
  "The encrypted connection could not be set up. Its certificate may not be trusted, or not be for this name.";

function openSocket({ host, port, security }: SmtpServer, signal: AbortSignal): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = security === "tls" ? tls.connect({ host, port, servername: host }) : net.connect({ host, port });
    // The platform's sockets add a listener for every limit that nodemailer sets, and would warn about their number.
    socket.setMaxListeners(0);
    const timer = setTimeout(() => giveUp(), CONNECT_LIMIT_MS);
    const giveUp = () => {
      socket.destroy();
      settled(() => reject(new Error("It took too long.")));
    };
    const settled = (then: () => void) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", giveUp);
      socket.removeListener("error", failed);
      // Without a listener, an error while the socket closes would be uncaught.
      socket.on("error", () => undefined);
      then();
    };
    const failed = (error: Error) => settled(() => reject(error));
    socket.once("error", failed);
    socket.once(security === "tls" ? "secureConnect" : "connect", () => settled(() => resolve(socket)));
    signal.addEventListener("abort", giveUp, { once: true });
  });
}

function openingFailure(error: unknown, { security }: SmtpServer): string {
  if (error instanceof Error && /too long/u.test(error.message)) return error.message;
  return security === "tls" ? `No connection could be made. ${TLS_FAILED}` : "No connection could be made.";
}

function placeOf({ host, port }: SmtpServer): string {
  return `${host}:${port}`;
}

function refused(statusCode: number, detail: string) {
  return { type: "refused", protocol: "smtp", statusCode, detail, retryAfterMs: null, login: false } as const;
}
