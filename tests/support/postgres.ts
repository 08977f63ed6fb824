import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { selfSigned } from "./certificate.ts";
import { output, own, removeDirectory, serverDirectory, unprivileged } from "./database-process.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const VERSIONS = "/usr/lib/postgresql";
const BIN = existsSync(VERSIONS) ? join(VERSIONS, readdirSync(VERSIONS).sort().at(-1) ?? "", "bin") : "";

/** Why there is no PostgreSQL server here; null where there is one. */
export const postgresMissing: string | null =
  debianPeer("/usr/share/postgresql-common/pg_wrapper", "postgresql") ??
  (existsSync(join(BIN, "initdb")) ? null : `PostgreSQL's server is not installed (${VERSIONS})`);

/** A real PostgreSQL server on a free port of 127.0.0.1, with TLS and a certificate for "localhost". */
export class PostgresServer {
  readonly host = "localhost";
  readonly username = "waiter";
  readonly password = `pass-${crypto.randomUUID()}`;
  readonly database = "shop";
  port = 0;
  #server: Bun.Subprocess | null = null;
  readonly #superuserPassword = crypto.randomUUID();

  private constructor(readonly directory: string) {}

  static async start(options: { tls?: boolean; config?: readonly string[] } = {}): Promise<PostgresServer> {
    const directory = await serverDirectory("postgres");
    const server = new PostgresServer(directory);
    try {
      await server.#initialize(options.tls ?? true);
      await server.#run(options.config ?? []);
      await server.sql(`CREATE ROLE ${server.username} LOGIN PASSWORD '${server.password}'`, "postgres");
      await server.sql(`CREATE DATABASE ${server.database} OWNER ${server.username}`, "postgres");
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

  /** psql's output for the superuser: values separated by `|`, one row per line. */
  sql(statement: string, database = this.database): Promise<string> {
    const to = ["-h", "127.0.0.1", "-p", String(this.port), "-U", "postgres", "-d", database];
    const env = { PGPASSWORD: this.#superuserPassword, PGSSLMODE: "prefer" };
    return output([join(BIN, "psql"), "-X", "-tA", "-v", "ON_ERROR_STOP=1", ...to, "-c", statement], { env });
  }

  /** The number of sessions that run a statement with this text. */
  async running(text: string): Promise<number> {
    // An ended statement stays active until its client, which may be gone, has read the result.
    const others = "pid <> pg_backend_pid() AND state = 'active' AND wait_event_type IS DISTINCT FROM 'Client'";
    return Number(
      await this.sql(`SELECT count(*) FROM pg_stat_activity WHERE ${others} AND query LIKE '%${text}%'`, "postgres"),
    );
  }

  /** Ends the sessions that run such a statement, as an administrator does. */
  async endSessions(text: string): Promise<void> {
    const found = `pid <> pg_backend_pid() AND query LIKE '%${text}%'`;
    await this.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${found}`);
  }

  async stop(): Promise<void> {
    this.#server?.kill("SIGQUIT");
    await this.#server?.exited;
    await removeDirectory(this.directory);
  }

  async #initialize(tls: boolean): Promise<void> {
    const passwordFile = join(this.directory, "superuser");
    await writeFile(passwordFile, this.#superuserPassword);
    await own(passwordFile);
    const how = ["--no-sync", "--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    const data = ["--locale=C", "--encoding=UTF8", "--pgdata", join(this.directory, "data")];
    await output(unprivileged([join(BIN, "initdb"), ...how, ...data]));
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
    const files = [`ssl_cert_file=${this.certificateFile}`, `ssl_key_file=${join(this.directory, "server.key")}`];
    const tls = existsSync(this.certificateFile) ? ["ssl=on", ...files] : [];
    const settings = [
      "listen_addresses=127.0.0.1",
      `port=${this.port}`,
      `unix_socket_directories=${this.directory}`,
      "fsync=off",
      "shared_buffers=16MB",
      ...tls,
      ...config,
    ];
    const options = settings.flatMap((setting) => ["-c", setting]);
    this.#server = Bun.spawn(unprivileged([join(BIN, "postgres"), "-D", join(this.directory, "data"), ...options]), {
      stdio: ["ignore", "ignore", process.env["BELLHOP_TEST_SERVER_LOG"] === undefined ? "ignore" : "inherit"],
      cwd: this.directory,
    });
    await eventually(
      "PostgreSQL to accept logins",
      async () => (await this.sql("SELECT 1", "postgres")) === "1",
      60_000,
    );
  }
}
