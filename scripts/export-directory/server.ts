import { createHash } from "node:crypto";
import { chmodSync, lstatSync, rmSync } from "node:fs";
import { isRecordKey, RECORD_SHA256_HEADER } from "../../schema/contract/record-keys.ts";
import { RETENTION_EXPORT_FILE_MAX_BYTES } from "../../schema/limits.ts";
import { removePartials, storeObject, UnsafeDirectory } from "./store-object.ts";

export interface ExportServerOptions {
  /** The directory that gets the records. It must exist when they arrive. */
  directory: string;
  /** The path of a unix socket, in a directory that only the user of this process can open. */
  socket: string;
  maxBodyBytes?: number;
}

export interface ExportServer {
  stop(): Promise<void>;
}

const STOP_LIMIT_MS = 2_000;

/** What to do about an error of the file system, by its code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "The export directory does not exist. Create it for the user of Bellhop.",
  EACCES: "The user of Bellhop may not write to the export directory. Make it the directory's owner.",
  EPERM: "The user of Bellhop may not write to the export directory. Make it the directory's owner.",
  EROFS: "The export directory is read-only. For systemd, name it in ReadWritePaths= (docs/retention.md).",
  ENOSPC: "The disk of the export directory is full. Free some space.",
  EDQUOT: "The quota of the export directory is used up. Free some space.",
};

/**
 * Stores records in a directory for the Worker, which has no access to files: `PUT /<key>` with the SHA-256 of the body
 * in a header. 204 means that the record survives a loss of power; other answers have the reason as text. The mode of
 * the socket decides who may call.
 */
export async function startExportServer(options: ExportServerOptions): Promise<ExportServer> {
  const { directory, socket, maxBodyBytes = RETENTION_EXPORT_FILE_MAX_BYTES } = options;
  removeSocket(socket);
  // Each record reports what is wrong with the directory.
  await removePartials(directory).catch(() => {});
  const server = Bun.serve({
    unix: socket,
    maxRequestBodySize: maxBodyBytes,
    fetch: (request) => answer(directory, request),
  });
  chmodSync(socket, 0o600);
  return {
    stop: async () => {
      await Promise.race([server.stop(), Bun.sleep(STOP_LIMIT_MS)]);
      await server.stop(true);
    },
  };
}

/** A killed process leaves its socket behind. */
function removeSocket(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) throw new Error(`${path} exists, and is not a socket`);
  rmSync(path);
}

async function answer(directory: string, request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const key = `${pathname.slice(1)}${search}`;
  if (request.method !== "PUT") return refusal(405, "Only PUT is served here.");
  if (!isRecordKey(key)) return refusal(400, "This is not the key of an exported record.");
  try {
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (createHash("sha256").update(bytes).digest("hex") !== request.headers.get(RECORD_SHA256_HEADER)) {
      return refusal(400, "The record did not arrive whole.");
    }
    await storeObject(directory, key, bytes);
    return new Response(null, { status: 204 });
  } catch (error) {
    console.error(`bellhop: ${key} was not stored: ${String(error)}`);
    return refusal(500, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof UnsafeDirectory) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : "an unknown error";
  return REASONS[code] ?? `The export directory could not be written to: ${code}.`;
}

function refusal(status: number, text: string): Response {
  return new Response(text, { status });
}
