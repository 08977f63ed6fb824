import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RELEASE_FILES } from "../../schema/contract/release.ts";
import { runWrangler } from "../wrangler.ts";
import type { ReleaseStore } from "./publish.ts";

/** wrangler's message for a key that does not exist. */
const NO_SUCH_KEY = /specified key does not exist/iu;

/**
 * An R2 bucket through wrangler, which handles the sign-in (`wrangler login`, or CLOUDFLARE_API_TOKEN). `wrangler` is
 * the command and its first arguments; `place` is `--remote` for the real bucket.
 */
export function r2Store(
  bucket: string,
  wrangler: readonly string[],
  place: readonly string[] = ["--remote"],
): ReleaseStore {
  const object = (verb: "get" | "put", key: string, args: readonly string[]) =>
    runWrangler(wrangler, ["r2", "object", verb, `${bucket}/${key}`, ...args, ...place]);
  const put = async (key: string, path: string) => {
    const { code, said } = await object("put", key, ["--file", path, "--content-type", contentType(key)]);
    if (code !== 0) throw new Error(`wrangler could not put ${bucket}/${key}: ${said}`);
  };
  return {
    read: (key) =>
      inScratch(async (path) => {
        const { code, said } = await object("get", key, ["--file", path]);
        if (code === 0) return readFile(path);
        // Any other failure may hide an existing release.
        if (NO_SUCH_KEY.test(said)) return null;
        throw new Error(`wrangler could not read ${bucket}/${key}: ${said}`);
      }),
    write: put,
    writeText: (key, text) =>
      inScratch(async (path) => {
        await writeFile(path, text);
        await put(key, path);
      }),
  };
}

function contentType(key: string): string {
  if (key.endsWith(".json")) return "application/json";
  return key.endsWith(RELEASE_FILES.sums) || key.endsWith(RELEASE_FILES.signature)
    ? "text/plain"
    : "application/octet-stream";
}

async function inScratch<T>(work: (path: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "bellhop-publish-"));
  try {
    return await work(join(directory, "object"));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
