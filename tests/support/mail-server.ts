import { SMTPServer } from "smtp-server";
import type { SMTPServerSession } from "smtp-server";
import { startTcpRelay } from "./tcp-relay.ts";

export const MAIL_USER = "bellhop@example.com";
export const MAIL_PASSWORD = "p@ss/word: 100%";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly secure: boolean;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  /** Every recipient so far, refused ones included. */
  readonly asked: ReadonlySet<string>;
  /** The messages for one recipient. */
  mailsTo(address: string): ReceivedMail[];
  stop(): Promise<void>;
}

/**
 * A real mail server that requires a login. Its behaviour depends on the recipient: `unknown@` is refused permanently,
 * `grey@` temporarily (`greyonce@` once), `cutoff@` loses the connection before the message, `gone@` after accepting
 * it, `held@` accepts it and does not answer, `waitonce@` gets no answer the first time, `big@` refuses the message
 * itself.
 */
export async function startMailServer(
  options: { secure?: boolean; cert?: string; key?: string; noStartTls?: boolean } = {},
): Promise<MailServer> {
  const { noStartTls = false, ...rest } = options;
  const mails: ReceivedMail[] = [];
  const seen = new Set<string>();
  const server = new SMTPServer({
    ...rest,
    disabledCommands: noStartTls ? ["STARTTLS"] : [],
    allowInsecureAuth: noStartTls,
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      if (username === MAIL_USER && password === MAIL_PASSWORD) return done(null, { user: username });
      return done(Object.assign(new Error(`wrong password ${password ?? ""}`), { responseCode: 535 }));
    },
    onRcptTo: ({ address }, _session, done) => {
      const isFirst = !seen.has(address);
      seen.add(address);
      if (address.startsWith("unknown@")) return done(replying(550, "5.1.1 no such user"));
      if (address.startsWith("grey@")) return done(replying(450, "4.2.0 come back later"));
      if (address.startsWith("cutoff@")) return relay.breakOff();
      if (address.startsWith("waitonce@") && isFirst) return undefined;
      if (address.startsWith("greyonce@") && isFirst) return done(replying(450, "4.2.0 come back later"));
      return done();
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => parts.push(part));
      stream.on("end", () => {
        const to = recipientsOf(session);
        if (to.some((address) => address.startsWith("big@"))) return done(replying(552, "5.3.4 too big"));
        mails.push({
          from: session.envelope.mailFrom === false ? "" : session.envelope.mailFrom.address,
          to,
          user: session.user,
          secure: session.secure,
          text: Buffer.concat(parts).toString("utf8"),
        });
        if (to.some((address) => address.startsWith("gone@"))) return relay.breakOff();
        return to.some((address) => address.startsWith("held@")) ? undefined : done(null);
      });
    },
  });
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.server.address();
  const relay = await startTcpRelay(address !== null && typeof address === "object" ? address.port : 0);
  return {
    port: relay.port,
    mails,
    asked: seen,
    mailsTo: (recipient) => mails.filter(({ to }) => to.includes(recipient)),
    stop: async () => {
      await relay.close();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
}

function recipientsOf(session: SMTPServerSession): string[] {
  return session.envelope.rcptTo.map(({ address }) => address);
}

function replying(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
