import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { debianPeer } from "./debian-peer.ts";
import { selfSigned } from "./certificate.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./free-port.ts";

const NGINX = "/usr/sbin/nginx";

/** Why there is no web server here; null where there is one. */
export const nginxMissing: string | null = debianPeer(NGINX, "nginx-light");

export const NGINX_USER = "robot";
export const NGINX_PASSWORD = "p@ss wörd%";
export const NGINX_TOKEN = "tok-4711-abcdef";
export const NGINX_KEY = "key-0815-fedcba";
export const NGINX_LARGE_BYTES = 50_000_000;
/** The unpacked size of the compressed file. */
export const NGINX_BOMB_BYTES = 200_000_000;

/**
 * A real nginx on two free ports, plain and with TLS. Paths: `/basic/`, `/bearer/` and `/key/` require a credential,
 * `/echo` returns the request, `/slow` trickles, `/stuck` waits for a server that never answers, `/large` is 50 MB,
 * `/packed` is compressed on its way, `/bomb` unpacks to 200 MB, `/moved/…` redirects, `/files/` stores PUTs, `/busy`
 * asks to come back later.
 */
export class Nginx {
  readonly host = "127.0.0.1";
  port = 0;
  tlsPort = 0;
  #server: Bun.Subprocess | null = null;

  private constructor(readonly directory: string) {}

  /** `stuckPort`: the port of a server that never answers. */
  static async start({ stuckPort }: { stuckPort: number }): Promise<Nginx> {
    const nginx = new Nginx(await mkdtemp(join(tmpdir(), "bellhop-nginx-")));
    await nginx.#prepare(stuckPort);
    await nginx.#run();
    return nginx;
  }

  get url(): string {
    return `http://${this.host}:${this.port}`;
  }

  get tlsUrl(): string {
    return `https://${this.host}:${this.tlsPort}`;
  }

  get certificateFile(): string {
    return join(this.directory, "cert.pem");
  }

  /** One line per finished request: `status bytesOfTheBody method address`. */
  async log(): Promise<string[]> {
    const text = await readFile(join(this.directory, "access.log"), "utf8");
    return text.split("\n").filter((line) => line !== "");
  }

  /** The line of a request, after its end. */
  logged(part: string): Promise<string> {
    return eventually(`nginx to note ${part}`, async () => (await this.log()).find((line) => line.includes(part)));
  }

  /** A stored file of `/files/`. */
  file(name: string): Promise<string> {
    return readFile(join(this.directory, "files", name), "utf8");
  }

  async stop(): Promise<void> {
    this.#server?.kill();
    await this.#server?.exited;
    await rm(this.directory, { recursive: true, force: true });
  }

  async #prepare(stuckPort: number): Promise<void> {
    [this.port, this.tlsPort] = [await freePort(), await freePort()];
    const { key, cert } = await selfSigned(`IP:${this.host}`);
    for (const folder of ["files", "tmp", "html"]) await mkdir(join(this.directory, folder));
    const files = {
      "key.pem": key,
      "cert.pem": cert,
      users: `${NGINX_USER}:{PLAIN}${NGINX_PASSWORD}\n`,
      "nginx.conf": this.#config(stuckPort),
      "html/index.html": "<h1>It works</h1>",
      "html/large": Buffer.alloc(NGINX_LARGE_BYTES, "x"),
      "html/packed.json": JSON.stringify({ text: "packed ".repeat(2_000) }),
      "html/bomb.txt.gz": gzipSync(Buffer.alloc(NGINX_BOMB_BYTES, "x")),
    };
    for (const [name, content] of Object.entries(files)) await writeFile(join(this.directory, name), content);
  }

  async #run(): Promise<void> {
    const files = [
      "-p",
      this.directory,
      "-c",
      join(this.directory, "nginx.conf"),
      "-e",
      join(this.directory, "error.log"),
    ];
    this.#server = Bun.spawn([NGINX, ...files], {
      stdio: ["ignore", "ignore", Bun.file(join(this.directory, "stderr"))],
    });
    await eventually("nginx to accept connections", async () => {
      if (this.#server?.exitCode != null) throw new Error(await readFile(join(this.directory, "stderr"), "utf8"));
      return (await accepts(this.port)) && (await accepts(this.tlsPort));
    });
  }

  #config(stuckPort: number): string {
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    return `
daemon off;
master_process off;
pid ${this.directory}/pid;
events { worker_connections 256; }
http {
  ${temporary.map((kind) => `${kind}_temp_path ${this.directory}/tmp/${kind};`).join("\n  ")}
  log_format ended '$status $body_bytes_sent $request_method $request_uri';
  access_log ${this.directory}/access.log ended;
  types { text/plain txt; text/html html; application/json json; }
  default_type text/plain;
  server {
    listen ${this.host}:${this.port};
    listen ${this.host}:${this.tlsPort} ssl;
    ssl_certificate ${this.directory}/cert.pem;
    ssl_certificate_key ${this.directory}/key.pem;
    absolute_redirect off;
    client_max_body_size 100k;
    root ${this.directory}/html;

    location /basic/ {
      auth_basic "inner rooms";
      auth_basic_user_file ${this.directory}/users;
      try_files /index.html =404;
    }
    location /bearer/ {
      if ($http_authorization != "Bearer ${NGINX_TOKEN}") { return 401; }
      try_files /index.html =404;
    }
    location /key/ {
      if ($http_x_room_key != "${NGINX_KEY}") { return 403; }
      try_files /index.html =404;
    }
    location = /echo {
      client_body_buffer_size 100k;
      client_body_in_single_buffer on;
      proxy_pass http://${this.host}:${this.port}/echoed;
      proxy_pass_request_body off;
      proxy_set_header Content-Length "";
      proxy_set_header X-Type $content_type;
      proxy_set_header X-Body $request_body;
      proxy_set_header X-Method $request_method;
      proxy_set_header X-Query $args;
    }
    location = /echoed { return 200 "$http_x_method|$http_x_query|$http_x_type|$http_x_body"; }
    location = /slow { limit_rate 1k; try_files /large =404; }
    location = /stuck { proxy_pass http://${this.host}:${stuckPort}; proxy_read_timeout 60s; }
    location = /packed { gzip on; gzip_types application/json; gzip_min_length 1; try_files /packed.json =404; }
    location = /bomb { gzip_static always; rewrite ^ /bomb.txt break; }
    location = /moved/here { return 302 /index.html; }
    location = /moved/secure { return 301 https://${this.host}:${this.tlsPort}/echo?secret=1; }
    location = /moved/in-circles { return 302 /moved/in-circles; }
    location = /moved/kept { return 307 /echo; }
    location = /busy { add_header Retry-After 17 always; return 429; }
    location /files/ { alias ${this.directory}/files/; dav_methods PUT DELETE; }
  }
}
`;
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
