import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { selfSigned } from "./certificate.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";
import { type ParsedMail, parseMail } from "./parse-mail.ts";
import { onAnyCommandLine } from "./processes.ts";

const EXIM = "/usr/sbin/exim4";
const ACCOUNT = "Debian-exim";

/** Why there is no mail server here; null where there is one. */
export const eximMissing: string | null =
  debianPeer(EXIM, "exim4-daemon-light") ??
  (process.getuid?.() === 0 ? null : "exim accepts its own configuration only from root");

export const EXIM_USER = "robot@bellhop.test";
export const EXIM_PASSWORD = "s3cret: p@ss/word%";
export const EXIM_NAME = "mail.bellhop.test";
export const EXIM_SIZE_LIMIT = 300_000;

export interface DeliveredMail extends ParsedMail {
  /** The recipients, as the server notes them. */
  envelopeTo: string[];
}

/**
 * A real mail server that accepts messages from every logged-in sender and puts them into a directory. `unknown@` is
 * refused permanently, `chatty…@` with a long text, `grey@` temporarily; `slow@` gets no answer for a minute; the
 * sender `banned@` is always refused.
 */
export class Exim {
  readonly host = "127.0.0.1";
  /** An address of this machine that no other program uses: port 465 is free there. */
  readonly tlsHost = `127.${100 + Math.floor(Math.random() * 100)}.${Math.floor(Math.random() * 250)}.${1 + Math.floor(Math.random() * 250)}`;
  port = 0;
  #daemon: Bun.Subprocess | null = null;

  private constructor(
    readonly directory: string,
    private readonly options: EximOptions,
  ) {}

  static async start(options: EximOptions = {}): Promise<Exim> {
    const exim = new Exim(await mkdtemp(join(tmpdir(), "bellhop-exim-")), options);
    await exim.#prepare();
    await exim.#run();
    return exim;
  }

  get certificateFile(): string {
    return join(this.directory, "cert.pem");
  }

  /** The mails in the mailbox, in no order. */
  async mails(): Promise<DeliveredMail[]> {
    const mailbox = join(this.directory, "mail", "new");
    const names = existsSync(mailbox) ? await readdir(mailbox) : [];
    return Promise.all(
      names.map(async (name) => {
        const mail = await parseMail(await readFile(join(mailbox, name)));
        const envelopeTo = (mail.headers["Envelope-to"] ?? "").split(/,\s*/u);
        return { ...mail, envelopeTo };
      }),
    );
  }

  /** The message with this subject, after its delivery. */
  mail(subject: string): Promise<DeliveredMail> {
    return eventually(`a message with the subject ${subject}`, async () => {
      const mails = await this.mails();
      return mails.find((mail) => mail.headers["Subject"] === subject);
    });
  }

  log(): Promise<string> {
    return readFile(join(this.directory, "log", "mainlog"), "utf8");
  }

  async stop(): Promise<void> {
    this.#daemon?.kill();
    await this.#daemon?.exited;
    // Sessions and deliveries are separate processes, and would write their log again.
    await eventually("exim's last process to end", () => !onAnyCommandLine(this.directory));
    await rm(this.directory, { recursive: true, force: true });
  }

  async #prepare(): Promise<void> {
    this.port = await freePort();
    const names = this.options.certificateFor ?? `IP:${this.host},IP:${this.tlsHost}`;
    const { key, cert } = await selfSigned(names);
    await chmod(this.directory, 0o755);
    const place = (name: string): string => join(this.directory, name);
    // Exim refuses a configuration that its own account could write.
    await writeFile(place("exim.conf"), this.#config(), { mode: 0o644 });
    await writeFile(place("cert.pem"), cert, { mode: 0o644 });
    await writeFile(place("key.pem"), key, { mode: 0o640 });
    for (const folder of ["spool", "log", "mail"]) await mkdir(place(folder));
    const [user, group] = await Promise.all([idOf("-u"), idOf("-g")]);
    for (const name of ["spool", "log", "mail", "key.pem"]) await chown(place(name), user, group);
  }

  async #run(): Promise<void> {
    this.#daemon = Bun.spawn([EXIM, "-C", join(this.directory, "exim.conf"), "-bdf"], {
      stdio: ["ignore", "ignore", Bun.file(join(this.directory, "stderr"))],
    });
    await eventually("exim to greet", async () => {
      if (this.#daemon?.exitCode != null) throw new Error(await readFile(join(this.directory, "stderr"), "utf8"));
      return greets(this.port);
    });
  }

  #config(): string {
    const place = (name: string): string => join(this.directory, name);
    return `
primary_hostname = ${EXIM_NAME}
spool_directory = ${place("spool")}
log_file_path = ${place("log")}/%slog
pid_file_path = ${place("spool")}/exim.pid
local_interfaces = <; 127.0.0.1.${this.port} ; ${this.tlsHost}.465
tls_on_connect_ports = 465
tls_advertise_hosts = *
tls_certificate = ${place("cert.pem")}
tls_privatekey = ${place("key.pem")}
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
smtputf8_advertise_hosts = *
message_size_limit = ${EXIM_SIZE_LIMIT}
recipients_max = 100
deliver_drop_privilege
keep_environment =
rfc1413_hosts =
acl_smtp_mail = mail
acl_smtp_rcpt = rcpt

begin acl
mail:
  deny senders = banned@*
       message = sender is not welcome
  accept
rcpt:
  deny local_parts = unknown
       message = no such user
  defer local_parts = grey
        message = come back later
  deny local_parts = ^chatty
       message = ${"many words ".repeat(150)}
  warn local_parts = slow
       logwrite = $local_part waits
       delay = 60s
  deny !authenticated = *
       message = relay not permitted without a login
  accept

begin routers
all:
  driver = accept
  transport = mailbox

begin transports
mailbox:
  driver = appendfile
  directory = ${place("mail")}
  maildir_format
  batch_max = 100
  envelope_to_add
  return_path_add
  user = ${ACCOUNT}

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${EXIM_USER}}}{eq{$auth3}{${EXIM_PASSWORD}}}}}
  server_set_id = $auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = \${if and{{eq{$auth1}{${EXIM_USER}}}{eq{$auth2}{${EXIM_PASSWORD}}}}}
  server_set_id = $auth1
`;
  }
}

export interface EximOptions {
  /** The names in its certificate, in openssl's syntax; without them its addresses. */
  certificateFor?: string;
}

async function idOf(option: "-u" | "-g"): Promise<number> {
  return Number(await new Response(Bun.spawn(["id", option, ACCOUNT]).stdout).text());
}

function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("data", () => {
      socket.end("QUIT\r\n");
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
