import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { selfSigned } from "./certificate.ts";
import { debianPeer } from "./debian-peer.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const PROGRAM = "/usr/bin/redis-server";
export const REDIS_PASSWORD = "redis-canary-4711";
/** The password of the server's user `reader`, who may only read. */
export const READER_PASSWORD = "reader-canary-4711";

export const redisMissing = debianPeer(PROGRAM, "redis-server");

/**
 * A Redis server from Debian's package on free ports of this machine, plain and encrypted. It stores nothing on disk.
 */
export class RedisServer {
  readonly host = "127.0.0.1";
  readonly #child: Bun.Subprocess;
  readonly #directory: string;

  private constructor(
    readonly port: number,
    readonly tlsPort: number,
    readonly certificateFile: string,
    child: Bun.Subprocess,
    directory: string,
  ) {
    this.#child = child;
    this.#directory = directory;
  }

  static async start(): Promise<RedisServer> {
    const directory = await mkdtemp(join(tmpdir(), "bellhop-redis-"));
    const [port, tlsPort] = [await freePort(), await freePort()];
    const { key, cert } = await selfSigned("IP:127.0.0.1");
    const [keyFile, certificateFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    await Promise.all([writeFile(keyFile, key), writeFile(certificateFile, cert)]);
    const options = {
      bind: "127.0.0.1",
      port,
      "tls-port": tlsPort,
      "tls-cert-file": certificateFile,
      "tls-key-file": keyFile,
      "tls-ca-cert-file": certificateFile,
      "tls-auth-clients": "no",
      dir: directory,
      save: "",
      requirepass: REDIS_PASSWORD,
      user: `reader on >${READER_PASSWORD} ~* +@read +select +ping`,
    };
    const file = join(directory, "redis.conf");
    const lines = Object.entries(options).map(([name, value]) => `${name} ${value === "" ? '""' : value}`);
    await writeFile(file, `${lines.join("\n")}\n`);
    const child = Bun.spawn([PROGRAM, file], { stdio: ["ignore", "ignore", "ignore"] });
    const server = new RedisServer(port, tlsPort, certificateFile, child, directory);
    await eventually("the Redis server to answer", async () => (await server.cli("PING")) === "PONG");
    return server;
  }

  /** The output of redis-cli. */
  async cli(...command: string[]): Promise<string> {
    const child = Bun.spawn(["/usr/bin/redis-cli", "-p", String(this.port), ...command], {
      env: { REDISCLI_AUTH: REDIS_PASSWORD },
      stdio: ["ignore", "pipe", "ignore"],
    });
    return (await new Response(child.stdout).text()).trim();
  }

  get config() {
    return { host: this.host, port: this.port, tls: "off" };
  }

  async stop(): Promise<void> {
    this.#child.kill();
    await this.#child.exited;
    await rm(this.#directory, { recursive: true, force: true });
  }
}
