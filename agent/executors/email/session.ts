import { isLoopback } from "../../../schema/contract/loopback.ts";
import { Readable } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { RejectedRecipient } from "../../../schema/contract/notification.ts";
import { readRejected, readReply } from "../../../schema/contract/smtp-reply.ts";
import { dial } from "../shared/dial.ts";
import { ExecutorFailure, jobEnded } from "../shared/failures.ts";
import { trustedAuthorities } from "../shared/trusted-authorities.ts";
import { explain, type Progress, wordsOf } from "./answers.ts";
import type { SmtpServer } from "./smtp-server.ts";

const SECOND_MS = 1_000;
const DIAL_LIMIT_MS = 10 * SECOND_MS;
/** The limit for the greeting, EHLO and TLS together. */
const SETUP_LIMIT_MS = 15 * SECOND_MS;
const LOGIN_LIMIT_MS = 15 * SECOND_MS;
/** RFC 5321, 4.5.3.2: a server may take minutes to check a message. The job's own limit usually comes first. */
const SILENCE_LIMIT_MS = 5 * 60 * SECOND_MS;
/** After the final dot the server's answer is usually on its way, and says whether a stopped job's message was sent. */
const LAST_ANSWER_MS = 2 * SECOND_MS;
const QUIT_LIMIT_MS = 2 * SECOND_MS;
const PART_BYTES = 65_536;

export interface SmtpSession {
  /** The server's name from its answer to EHLO; "" without one. */
  serverName: string;
  loopback: boolean;
  /** Whether EHLO listed an extension, such as AUTH or SMTPUTF8. */
  offers(extension: string): boolean;
  /** The mechanisms after AUTH (RFC 4954), in capitals. */
  mechanisms: readonly string[];
  login(): Promise<void>;
  send(envelope: { from: string; to: readonly string[] }, message: Buffer): Promise<SentMail>;
  /** Sends QUIT and does not wait for the answer. */
  quit(): void;
  /** Closes the connection immediately. */
  close(): void;
}

export interface SentMail {
  accepted: string[];
  rejected: RejectedRecipient[];
  /** The server's last words, with its status code. */
  response: string;
  /** Some services replace the Message-ID and report the new one. */
  messageId: string | null;
}

export interface SessionOptions {
  signal: AbortSignal;
  /** Called when the TCP connection is open. */
  onDialled?: () => void;
}

/**
 * Connects and, if the connection asks for it, encrypts. The system resolves the name: the library would ask a DNS
 * server itself. Throws `unreachable`, `tls_error`, `connection_lost` or `job_ended`.
 */
export async function openSession(server: SmtpServer, { signal, onDialled }: SessionOptions): Promise<SmtpSession> {
  const { host, port, where } = server;
  const socket = await dial({ host, port, where, timeoutMs: DIAL_LIMIT_MS, signal });
  onDialled?.();
  const { remoteAddress = "" } = socket;
  const connection = new SMTPConnection({
    connection: socket,
    host,
    port,
    secure: server.security === "tls",
    requireTLS: server.security === "starttls",
    ignoreTLS: server.security === "none",
    tls: { ca: trustedAuthorities(), rejectUnauthorized: true, minVersion: "TLSv1.2" },
    connectionTimeout: SETUP_LIMIT_MS,
    greetingTimeout: SETUP_LIMIT_MS,
    socketTimeout: SILENCE_LIMIT_MS,
    socketCloseTimeout: 0,
    maxResponseSize: PART_BYTES,
  });
  const progress: Progress = { greeted: false, securing: false, loggedIn: false, handedOver: false };
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  connection.on("error", broken.reject);
  connection.once("end", () => broken.reject(new Error("the server closed the connection")));

  const close = (): void => {
    connection.close();
    socket.destroy();
  };
  /** Runs one of the library's calls until it ends, the connection breaks, its time is over or the job is stopped. */
  const step = async <T>(limitMs: number | null, start: (done: (error?: unknown, value?: T) => void) => void) => {
    const { promise, resolve, reject } = Promise.withResolvers<T | undefined>();
    const tooSlow = () => reject(new Error(`no answer within ${(limitMs ?? 0) / SECOND_MS} s`));
    const timer = limitMs === null ? null : setTimeout(tooSlow, limitMs);
    const stopped = new Error("the job was stopped");
    let lastAnswer: NodeJS.Timeout | null = null;
    const onAbort = (): void => {
      if (progress.handedOver) lastAnswer = setTimeout(() => reject(stopped), LAST_ANSWER_MS);
      else reject(stopped);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      start((error, value) => (error ? reject(error) : resolve(value)));
      return await Promise.race([promise, broken.promise]);
    } catch (error) {
      progress.securing = connection.upgrading === true;
      close();
      if (error === stopped) throw jobEnded(stateOf(where, progress));
      const failure = explain(error, server, progress);
      // A late answer of the server says more than that the job was stopped.
      throw signal.aborted ? jobEnded(failure.message) : failure;
    } finally {
      if (timer !== null) clearTimeout(timer);
      if (lastAnswer !== null) clearTimeout(lastAnswer);
      signal.removeEventListener("abort", onAbort);
    }
  };

  await step<void>(SETUP_LIMIT_MS, (done) => connection.connect(done));
  progress.greeted = true;
  const hello = connection.lastServerResponse === false ? "" : connection.lastServerResponse;
  const lines = hello.split(/\r?\n/u).slice(1);
  return {
    serverName: /^250[ -](\S{1,255})/u.exec(hello)?.[1] ?? "",
    loopback: isLoopback(remoteAddress),
    offers: (extension) => lines.some((line) => extensionOf(line) === extension),
    mechanisms: lines.flatMap(mechanismsOf),
    login: async () => {
      const { login } = server;
      if (login === null) return;
      const credentials = { user: login.user, pass: login.password };
      await step<boolean>(LOGIN_LIMIT_MS, (done) => connection.login({ credentials }, done));
      progress.loggedIn = true;
    },
    send: async ({ from, to }, message) => {
      const body = Readable.from(
        parts(message, () => (progress.handedOver = true)),
        { objectMode: false },
      );
      const sent = await step<SMTPConnection.SentMessageInfo>(null, (done) =>
        connection.send({ from, to: [...to], size: message.length }, body, done),
      );
      if (sent === undefined)
        throw new ExecutorFailure(
          "outcome_unknown",
          `${where} gave no answer to the message. It may have been sent. Check whether it arrived before you send it again.`,
        );
      const { statusCode, text } = readReply(sent.response, wordsOf(server));
      return {
        accepted: sent.accepted,
        rejected: readRejected(sent.rejectedErrors, wordsOf(server)),
        response: `${statusCode ?? ""} ${text}`.trim(),
        messageId: sent.serverMessageId ?? null,
      };
    },
    quit: () => {
      const timer = setTimeout(close, QUIT_LIMIT_MS);
      timer.unref();
      connection.once("end", () => {
        clearTimeout(timer);
        socket.destroy();
      });
      connection.quit();
    },
    close,
  };
}

/**
 * The library sends the final dot when this generator ends. The server does not take a message whose transfer breaks
 * off before that (RFC 5321, 4.1.1.4).
 */
async function* parts(message: Buffer, onHandover: () => void): AsyncGenerator<Buffer> {
  for (let at = 0; at < message.length; at += PART_BYTES) yield message.subarray(at, at + PART_BYTES);
  onHandover();
}

function extensionOf(line: string): string {
  return /^\d{3}[ -]([A-Za-z0-9-]+)/u.exec(line)?.[1]?.toUpperCase() ?? "";
}

/** Some servers write `AUTH=LOGIN`. */
function mechanismsOf(line: string): string[] {
  const named = /^\d{3}[ -]AUTH[ =](.*)$/iu.exec(line)?.[1] ?? "";
  return named.toUpperCase().match(/[A-Z0-9_-]+/gu) ?? [];
}

function stateOf(where: string, { handedOver }: Progress): string {
  if (!handedOver) return `The message was not sent: the connection to ${where} was ended before it was complete.`;
  return `${where} was sent the whole message and did not answer, so it is not known whether the message was sent. Check whether it arrived before you send it again.`;
}
