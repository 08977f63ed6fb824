import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "../debian-peer.ts";

const PYTHON = "/usr/bin/python3";
const SOURCES = import.meta.dir;

/** Why there can be no WinRM host here; null where there can. */
export const winrmServerMissing: string | null =
  debianPeer(PYTHON, "python3") ??
  debianPeer("/usr/lib/python3/dist-packages/gssapi/__init__.py", "python3-gssapi") ??
  debianPeer("/etc/gss/mech.d/mech.ntlmssp.conf", "gss-ntlmssp");

export interface WinrmServerOptions {
  tls?: { cert: string; key: string; hash?: "sha256" | "sha384" };
  allowUnencrypted?: boolean;
  auth?: { Basic?: boolean; Negotiate?: boolean };
  anonymousIdentify?: boolean;
  requireChannelBinding?: boolean;
  /** Users by their names on the host (`corp\ops`) who may log in but not create a shell. */
  withoutRights?: string[];
  maxShells?: number;
  maxEnvelopeBytes?: number;
  /** The host removes a shell right before the first request of this kind. */
  removesShellBefore?: "Signal" | "Delete";
  /** How long a request for output waits at most before it gets a time-out. */
  receiveSecondsMax?: number;
  /** Flips a bit of every encrypted answer. */
  tamper?: boolean;
}

/** One line of the host's notes: a message, an answer, a login or a refusal. */
export interface WinrmLogEntry {
  connection: number;
  user?: string;
  login?: string;
  encrypted?: boolean;
  headers?: string[];
  message?: string;
  answer?: string;
  status?: number;
  refused?: string;
}

/**
 * A strict WinRM host on a free port of 127.0.0.1 that runs commands with sh. NTLM and message encryption are those of
 * gss-ntlmssp, which is independent of this project. Its accounts: `CORP\\ops`, and `local` of the machine HOST7
 * itself.
 */
export class WinrmServer {
  readonly host = "127.0.0.1";

  private constructor(
    readonly port: number,
    readonly password: string,
    readonly directory: string,
    private readonly server: Bun.Subprocess,
  ) {}

  static async start(options: WinrmServerOptions = {}): Promise<WinrmServer> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-winrm-"));
    const programs = join(directory, "programs");
    const password = `Pa'ss&<${crypto.randomUUID()}`;
    await mkdir(programs);
    for (const name of ["powershell", "powershell.exe"]) {
      await writeFile(join(programs, name), `#!/bin/sh\nexec ${PYTHON} ${join(SOURCES, "powershell.py")} "$@"\n`);
      await chmod(join(programs, name), 0o755);
    }
    const accounts = [
      { domain: "CORP", user: "ops", password },
      { domain: "HOST7", user: "local", password },
    ];
    const logins = [...accounts, { domain: "", user: "ops@corp.example", password }];
    const users = logins.map((account) => `${account.domain}:${account.user}:${account.password}\n`).join("");
    await writeFile(join(directory, "users"), users, { mode: 0o600 });
    const { tls, auth, ...others } = options;
    const config = {
      tls: tls === undefined ? null : await writeCertificate(directory, tls),
      auth: auth ?? {},
      accounts,
      programs,
      userFile: join(directory, "users"),
      log: join(directory, "log"),
      removeIdleShells: join(directory, "remove-idle-shells"),
      ...DEFAULTS,
      ...others,
    };
    await writeFile(join(directory, "config.json"), JSON.stringify(config));
    await writeFile(config.log, "");
    const server = Bun.spawn([PYTHON, "-B", join(SOURCES, "server.py"), join(directory, "config.json")], {
      stdio: ["pipe", "pipe", Bun.file(join(directory, "errors"))],
    });
    return new WinrmServer(await readPort(server.stdout, directory), password, directory, server);
  }

  /** The host's notes so far, in order. */
  async log(): Promise<WinrmLogEntry[]> {
    const lines = (await readFile(join(this.directory, "log"), "utf8")).split("\n").filter((line) => line !== "");
    return lines.map((line): WinrmLogEntry => JSON.parse(line));
  }

  /** The actions of the messages so far, such as `Create`. */
  async actions(): Promise<string[]> {
    const found = (await this.log()).map(({ message }) => /Action[^>]*>[^<]*\/(\w+)</u.exec(message ?? "")?.[1]);
    return found.filter((action) => action !== undefined);
  }

  /** From now on the host removes every shell without requests, before its agreed idle minutes are over. */
  async removeIdleShells(): Promise<void> {
    await writeFile(join(this.directory, "remove-idle-shells"), "");
  }

  async stop(): Promise<void> {
    this.server.kill();
    await this.server.exited;
    await rm(this.directory, { recursive: true, force: true });
  }
}

const DEFAULTS = {
  allowUnencrypted: false,
  anonymousIdentify: true,
  requireChannelBinding: false,
  withoutRights: [],
  maxShells: 30,
  maxEnvelopeBytes: 512_000,
  removesShellBefore: null,
  receiveSecondsMax: 60,
  tamper: false,
};

async function writeCertificate(directory: string, { cert, key, hash }: NonNullable<WinrmServerOptions["tls"]>) {
  const files = { cert: join(directory, "cert.pem"), key: join(directory, "key.pem"), hash: hash ?? "sha256" };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key, { mode: 0o600 });
  return files;
}

async function readPort(stdout: ReadableStream<Uint8Array>, directory: string): Promise<number> {
  const { value } = await stdout.getReader().read();
  const port = Number(new TextDecoder().decode(value));
  if (Number.isInteger(port) && port > 0) return port;
  throw new Error(`the WinRM host did not start: ${await readFile(join(directory, "errors"), "utf8")}`);
}
