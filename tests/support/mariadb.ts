import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { selfSigned } from "./certificate.ts";
import { output, own, removeDirectory, serverDirectory, unprivileged } from "./database-process.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const SERVER = "/usr/sbin/mariadbd";

/** Why there is no MariaDB server here; null where there is one. */
export const mariadbMissing: string | null = debianPeer(SERVER, "mariadb-server");

/** A real MariaDB server on a free port of 127.0.0.1, with TLS and a certificate for "localhost". */
export class MariadbServer {
  readonly host = "localhost";
  readonly username = "waiter";
  readonly password = `pass-${crypto.randomUUID()}`;
  readonly database = "shop";
  port = 0;
  #server: Bun.Subprocess | null = null;

  private constructor(readonly directory: string) {}

  static async start(options: { tls?: boolean; config?: readonly string[] } = {}): Promise<MariadbServer> {
    const directory = await serverDirectory("mariadb");
    const server = new MariadbServer(directory);
    try {
      await server.#initialize(options.tls ?? true);
      await server.#run(options.config ?? []);
      const account = `'${server.username}'@'127.0.0.1'`;
      await server.sql(`CREATE DATABASE ${server.database}`, "mysql");
      await server.sql(`CREATE USER ${account} IDENTIFIED BY '${server.password}'`);
      await server.sql(`GRANT ALL ON ${server.database}.* TO ${account}`);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** The certificate that verifies this server, for NODE_EXTRA_CA_CERTS. */
  get certificateFile(): string {
    return join(this.directory, "server.crt");
  }

  /** The client program's output for root: values separated by tabs, one row per line. */
  sql(statement: string, database = this.database): Promise<string> {
    const to = [`--socket=${this.#socket}`, "--user=root", `--database=${database}`];
    return output(["mariadb", "--no-defaults", "--batch", "--skip-column-names", "--delimiter=//", ...to], {
      input: statement,
    });
  }

  /** The number of sessions that run a statement with this text. */
  async running(text: string): Promise<number> {
    const others = "id <> connection_id() AND command IN ('Query', 'Execute')";
    return Number(
      await this.sql(`SELECT count(*) FROM information_schema.processlist WHERE ${others} AND info LIKE '%${text}%'`),
    );
  }

  /** Ends the sessions that run such a statement, as an administrator does. */
  async endSessions(text: string): Promise<void> {
    const found = `id <> connection_id() AND info LIKE '%${text}%'`;
    const ids = await this.sql(`SELECT id FROM information_schema.processlist WHERE ${found}`);
    for (const id of ids.split("\n").filter((line) => line !== "")) await this.sql(`KILL ${id}`);
  }

  async stop(): Promise<void> {
    this.#server?.kill("SIGKILL");
    await this.#server?.exited;
    await removeDirectory(this.directory);
  }

  get #socket(): string {
    return join(this.directory, "socket");
  }

  async #initialize(tls: boolean): Promise<void> {
    const how = ["--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"];
    const where = [`--datadir=${join(this.directory, "data")}`, `--tmpdir=${this.directory}`];
    await output(unprivileged(["mariadb-install-db", ...how, ...where]));
    if (!tls) return;
    const { key, cert } = await selfSigned("DNS:localhost");
    for (const [name, text] of [
      ["server.key", key],
      ["server.crt", cert],
    ] as const) {
      await writeFile(join(this.directory, name), text, { mode: 0o600 });
      await own(join(this.directory, name));
    }
  }

  async #run(config: readonly string[]): Promise<void> {
    this.port = await freePort();
    const tls = existsSync(this.certificateFile)
      ? [`--ssl-cert=${this.certificateFile}`, `--ssl-key=${join(this.directory, "server.key")}`]
      : ["--skip-ssl"];
    const settings = [
      `--datadir=${join(this.directory, "data")}`,
      // In a shared directory two servers could use the same name for temporary tables.
      `--tmpdir=${this.directory}`,
      `--socket=${this.#socket}`,
      `--pid-file=${join(this.directory, "pid")}`,
      `--port=${this.port}`,
      "--bind-address=127.0.0.1",
      "--skip-name-resolve",
      "--innodb-buffer-pool-size=16M",
      "--innodb-flush-log-at-trx-commit=0",
      ...tls,
      ...config,
    ];
    this.#server = Bun.spawn(unprivileged([SERVER, "--no-defaults", ...settings]), {
      stdio: ["ignore", "ignore", process.env["BELLHOP_TEST_SERVER_LOG"] === undefined ? "ignore" : "inherit"],
      cwd: this.directory,
    });
    await eventually("MariaDB to accept logins", async () => (await this.sql("SELECT 1", "mysql")) === "1", 60_000);
  }
}
