import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { AGENT_PROTOCOL } from "../../schema/contract/agent.ts";
import { RELEASE_PATH, executableFile } from "../../schema/contract/release.ts";
import type { ReleaseTarget } from "../../schema/contract/release.ts";

const WITHOUT_BODY = new Set(["GET", "HEAD"]);

export interface FrontOptions {
  /** The target of all requests that are not answered here, such as a fake service. */
  upstream?: string;
  tls?: { key: string; cert: string };
  port?: number;
}

/** A deployment's address in tests: liveness, releases signed with its own key, and an agent API behind it. */
export class ServiceFront {
  /** The Date header's clock, relative to this host's. */
  clockSkewMs = 0;
  /** Replaces the usual answer unless it is null. */
  instead: (request: Request, path: string) => Response | Promise<Response> | null = () => null;
  latest = "";
  readonly asked: string[] = [];
  readonly releaseKey: string;
  readonly #privateKey: KeyObject;
  readonly #files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #server: ReturnType<typeof Bun.serve>;

  constructor(options: FrontOptions = {}) {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.#privateKey = privateKey;
    this.releaseKey = Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url").toString("base64");
    this.#server = Bun.serve({
      hostname: "127.0.0.1",
      port: options.port ?? 0,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      fetch: (request) => this.#answer(request, options.upstream ?? null),
    });
  }

  get port(): number {
    return this.#server.port ?? 0;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  /** Publishes a release and makes it the newest. `change` may spoil the manifest before it is signed. */
  publish(
    version: string,
    executables: Partial<Record<ReleaseTarget, Uint8Array>>,
    change: (manifest: object) => object = (manifest) => manifest,
  ): void {
    const listed = Object.entries(executables).map(([target, bytes]) => ({ target, bytes: Buffer.from(bytes) }));
    const manifest = {
      version,
      createdAt: "2026-11-01T00:00:00.000Z",
      protocol: AGENT_PROTOCOL,
      executables: listed.map(({ target, bytes }) => ({
        target,
        file: fileOf(target),
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
      })),
      sbom: { file: "sbom.cdx.json", bytes: 2, sha256: "0".repeat(64) },
    };
    for (const { target, bytes } of listed) this.put(version, target, bytes);
    const text = Buffer.from(JSON.stringify(change(manifest)));
    this.put(version, "manifest.json", text);
    this.put(version, "manifest.json.sig", Buffer.from(`${sign(null, text, this.#privateKey).toString("base64")}\n`));
    this.latest = version;
  }

  /** Puts a file into a release, or removes one. */
  put(version: string, name: string, bytes: Uint8Array | null): void {
    const path = `${RELEASE_PATH}/${version}/${name}`;
    if (bytes === null) this.#files.delete(path);
    else this.#files.set(path, new Uint8Array(bytes));
  }

  async #answer(request: Request, upstream: string | null): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    this.asked.push(pathname);
    const other = await this.instead(request, pathname);
    if (other !== null) return other;
    if (pathname === "/healthz") {
      const date = new Date(Date.now() + this.clockSkewMs).toUTCString();
      return Response.json({ status: "ok" }, { headers: { Date: date } });
    }
    const latest = `${RELEASE_PATH}/latest/`;
    if (pathname.startsWith(latest) && this.latest !== "") {
      const location = `${RELEASE_PATH}/${this.latest}/${pathname.slice(latest.length)}`;
      return new Response(null, { status: 302, headers: { Location: location } });
    }
    const file = this.#files.get(pathname);
    if (file !== undefined) return new Response(file);
    if (upstream === null) return new Response("nothing here", { status: 404 });
    const body = WITHOUT_BODY.has(request.method) ? {} : { body: await request.text() };
    return fetch(`${upstream}${pathname}${search}`, { method: request.method, headers: request.headers, ...body });
  }
}

function fileOf(target: string): string {
  return target === "linux-x64" ? executableFile(target) : `bellhop-agent-${target}`;
}
