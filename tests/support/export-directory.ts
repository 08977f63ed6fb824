import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RECORD_SHA256_HEADER } from "../../schema/contract/record-keys.ts";
import { startExportServer } from "../../scripts/export-directory/server.ts";
import type { ExportServer } from "../../scripts/export-directory/server.ts";

/** The texts of the files below a directory, by path; also of unfinished ones. */
export async function filesBelow(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string): Promise<[string, string]> => [
    path.slice(directory.length + 1),
    await readFile(path, "utf8"),
  ];
  return new Map(await Promise.all(paths.sort().map(read)));
}

/** The process that writes exported records to a directory, in this process. */
export class ExportDirectory {
  readonly #place: string;
  #server: ExportServer | null = null;

  private constructor(
    place: string,
    readonly directory: string,
  ) {
    this.#place = place;
  }

  /** Makes the place of its socket, and the directory if no other one is given. */
  static async make(directory?: string): Promise<ExportDirectory> {
    const place = await mkdtemp(join(tmpdir(), "bellhop-exports-"));
    return new ExportDirectory(place, directory ?? (await mkdtemp(join(place, "records-"))));
  }

  get socket(): string {
    return join(this.#place, "exports.sock");
  }

  async start(maxBodyBytes?: number): Promise<void> {
    const { directory, socket } = this;
    this.#server = await startExportServer({
      directory,
      socket,
      ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
    });
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
  }

  /** The Worker's binding: its way to the socket. */
  readonly binding = {
    fetch: (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
      fetch(url instanceof Request ? url.url : url, { ...init, unix: this.socket }),
  };

  /** A request as the Worker sends it, or with other headers or another method. The key is not encoded. */
  put(
    key: string,
    body: string,
    { method = "PUT", headers = { [RECORD_SHA256_HEADER]: createHash("sha256").update(body).digest("hex") } } = {},
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const options = { socketPath: this.socket, path: `/${key}`, method, headers };
      const sent = request(options, (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on("error", reject);
      sent.end(method === "GET" ? "" : body);
    });
  }

  files(): Promise<Map<string, string>> {
    return filesBelow(this.directory);
  }

  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#place, { recursive: true, force: true });
  }
}
