import { existsSync, readdirSync, statSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const SSHD = "/usr/sbin/sshd";
const ROOT = process.getuid?.() === 0;

/** Why there is no SSH server here; null where there is one. */
export const sshdMissing: string | null =
  debianPeer(SSHD, "openssh-server") ?? debianPeer("/usr/bin/ssh-keygen", "openssh-client");

/** Why a login by password is not possible: it needs an account made for the test. */
export const sshdPasswordMissing: string | null =
  sshdMissing ?? (ROOT ? null : "only root can make the account that has a known password");

export interface SshdOptions {
  /** The login shell of the account. */
  shell?: string;
  /** Lines for sshd_config, before all others. */
  config?: readonly string[];
  /** Variables that the server sets in its sessions. */
  environment?: Readonly<Record<string, string>>;
  hostKeyTypes?: readonly HostKeyType[];
}

type HostKeyType = "ed25519" | "ecdsa" | "rsa";

/** A real OpenSSH server on a free port of 127.0.0.1, with a new account if the test is root. */
export class Sshd {
  readonly host = "127.0.0.1";
  /** TMPDIR of programs on this host. */
  readonly temporary: string;
  port = 0;
  username = userInfo().username;
  readonly password = `pass-${crypto.randomUUID()}`;
  #server: Bun.Subprocess | null = null;
  #accountId: number | null = null;

  private constructor(
    readonly directory: string,
    readonly home: string,
    private readonly options: SshdOptions,
  ) {
    this.temporary = join(directory, "tmp");
  }

  static async start(options: SshdOptions = {}): Promise<Sshd> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-sshd-"));
    await chmod(directory, 0o755);
    const sshd = new Sshd(directory, join(directory, "home"), options);
    await mkdir(sshd.home);
    await mkdir(sshd.temporary);
    await chmod(sshd.temporary, 0o1777);
    await writeFile(join(directory, "authorized_keys"), "", { mode: 0o644 });
    if (ROOT) await sshd.#makeAccount();
    await sshd.makeHostKeys(options.hostKeyTypes ?? ["ed25519"]);
    await sshd.restart();
    return sshd;
  }

  /** Replaces the server's host keys; the new ones apply after a restart. */
  async makeHostKeys(types: readonly HostKeyType[]): Promise<void> {
    for (const type of ["ed25519", "ecdsa", "rsa"] as const) await rm(this.#hostKey(type), { force: true });
    for (const type of types) await this.addHostKey(type);
  }

  async addHostKey(type: HostKeyType): Promise<void> {
    await run(["ssh-keygen", "-q", "-t", type, "-N", "", "-f", this.#hostKey(type)]);
  }

  async fingerprint(type: HostKeyType): Promise<string> {
    const line = await run(["ssh-keygen", "-lf", this.#hostKey(type)]);
    return line.split(" ")[1] ?? "";
  }

  async authorize(publicKey: string): Promise<void> {
    await appendFile(join(this.directory, "authorized_keys"), `${publicKey.trim()}\n`);
  }

  /** Starts the server on its former port, or on a free one. */
  async restart(): Promise<void> {
    await this.#stopServer();
    this.port ||= await freePort();
    const keys = (["ed25519", "ecdsa", "rsa"] as const).filter((type) => existsSync(this.#hostKey(type)));
    await writeFile(
      join(this.directory, "sshd_config"),
      [
        ...(this.options.config ?? []),
        `ListenAddress 127.0.0.1:${this.port}`,
        ...keys.map((type) => `HostKey ${this.#hostKey(type)}`),
        `AuthorizedKeysFile ${join(this.directory, "authorized_keys")}`,
        `PidFile ${join(this.directory, "sshd.pid")}`,
        `SetEnv ${Object.entries({ TMPDIR: this.temporary, ...this.options.environment })
          .map((entry) => entry.join("="))
          .join(" ")}`,
        "StrictModes no",
        "UsePAM no",
        "PasswordAuthentication yes",
        "PermitRootLogin yes",
        "MaxStartups 100",
        "",
      ].join("\n"),
    );
    if (ROOT) await mkdir("/run/sshd", { recursive: true, mode: 0o755 });
    this.#server = Bun.spawn(
      [SSHD, "-D", "-f", join(this.directory, "sshd_config"), "-E", join(this.directory, "log")],
      {
        stdio: ["ignore", "ignore", "ignore"],
      },
    );
    await eventually("sshd to accept connections", () => answers(this.port));
  }

  log(): Promise<string> {
    return readFile(join(this.directory, "log"), "utf8");
  }

  async stop(): Promise<void> {
    await this.#stopServer();
    if (this.#accountId !== null) {
      // A failed test may leave processes; all processes of this account are such leftovers.
      for (const pid of processesOf(this.#accountId)) killIfThere(pid);
      await unlocked(["userdel", "--force", this.username]);
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #makeAccount(): Promise<void> {
    this.username = `bh${crypto.randomUUID().slice(0, 8)}`;
    const shell = this.options.shell ?? "/bin/bash";
    await unlocked(["useradd", "--no-create-home", "--home-dir", this.home, "--shell", shell, this.username]);
    await unlocked(["chpasswd"], `${this.username}:${this.password}\n`);
    this.#accountId = Number(await run(["id", "-u", this.username]));
    await chown(this.home, this.#accountId, Number(await run(["id", "-g", this.username])));
  }

  async #stopServer(): Promise<void> {
    this.#server?.kill();
    await this.#server?.exited;
    this.#server = null;
  }

  #hostKey(type: HostKeyType): string {
    return join(this.directory, `host_${type}_key`);
  }
}

function processesOf(userId: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/u.test(name));
  return pids.map(Number).filter((pid) => {
    try {
      return statSync(`/proc/${pid}`).uid === userId;
    } catch {
      return false;
    }
  });
}

/** The account files have one lock for the whole machine; a concurrent test may hold it. */
async function unlocked(command: string[], input = ""): Promise<void> {
  await eventually(`${command[0]} to have the account files to itself`, async () => {
    await run(command, input);
    return true;
  });
}

async function run(command: string[], input = ""): Promise<string> {
  const child = Bun.spawn(command, { stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`${command[0]} ended with ${code}: ${stderr}`);
  return stdout;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** The process may end between listing and killing. */
function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
