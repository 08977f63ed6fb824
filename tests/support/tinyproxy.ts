import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { debianPeer } from "./debian-peer.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const TINYPROXY = "/usr/bin/tinyproxy";

/** Why there is no proxy here; null where there is one. */
export const tinyproxyMissing: string | null = debianPeer(TINYPROXY, "tinyproxy");

export interface TinyproxyOptions {
  login?: { user: string; password: string };
  /** The only port to which it opens tunnels. */
  connectPort?: number;
}

/** A real forward proxy on a free port of 127.0.0.1. */
export class Tinyproxy {
  port = 0;
  #server: Bun.Subprocess | null = null;

  private constructor(readonly directory: string) {}

  static async start(options: TinyproxyOptions = {}): Promise<Tinyproxy> {
    const proxy = new Tinyproxy(await mkdtemp(join(tmpdir(), "bellhop-tinyproxy-")));
    await proxy.#run(options);
    return proxy;
  }

  /** Its address, with a login if one is given. */
  url(login = ""): string {
    return `http://${login}127.0.0.1:${this.port}`;
  }

  /** The first line of each request so far. */
  async requests(): Promise<string[]> {
    const log = await readFile(join(this.directory, "log"), "utf8");
    return [...log.matchAll(/Request \(file descriptor \d+\): (.*)$/gmu)].map(([, line = ""]) => line);
  }

  async stop(): Promise<void> {
    this.#server?.kill();
    await this.#server?.exited;
    await rm(this.directory, { recursive: true, force: true });
  }

  async #run({ login, connectPort }: TinyproxyOptions): Promise<void> {
    this.port = await freePort();
    const config = join(this.directory, "tinyproxy.conf");
    const lines = [
      "Listen 127.0.0.1",
      `Port ${this.port}`,
      "Timeout 60",
      "MaxClients 50",
      "Allow 127.0.0.1",
      `LogFile "${join(this.directory, "log")}"`,
      "LogLevel Connect",
      ...(login === undefined ? [] : [`BasicAuth ${login.user} ${login.password}`]),
      ...(connectPort === undefined ? [] : [`ConnectPort ${connectPort}`]),
      "",
    ];
    await writeFile(config, lines.join("\n"));
    this.#server = Bun.spawn([TINYPROXY, "-d", "-c", config], { stdio: ["ignore", "ignore", "ignore"] });
    const server = this.#server;
    await eventually("tinyproxy to accept connections", () => server.exitCode !== null || accepts(this.port));
    // Another process may have taken the free port in the meantime.
    if (server.exitCode !== null) await this.#run({ login, connectPort });
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
