import { CODING_SUFFIX, RELEASE_CODINGS, RELEASE_FILES } from "../../../schema/contract/release.ts";
import type { ReleaseCoding } from "../../../schema/contract/release.ts";
import type { DownloadSource } from "../../store/download-source.ts";
import { ProblemError } from "../problem.ts";
import { loadRelease, readSmall, releaseKey } from "./release.ts";
import type { Release } from "./release.ts";

/** A file of a release, in each of its available codings. */
export interface Download {
  readonly file: string;
  readonly contentType: string;
  readonly codings: readonly ReleaseCoding[];
  /** Null coding: the plain file. Null result: the file is gone. */
  representation(coding: ReleaseCoding | null): Promise<Representation | null>;
}

export interface Representation {
  /** Strong, and different for each coding (RFC 9110, 8.8.3.3). */
  readonly etag: string;
  readonly size: number;
  read(part?: { offset: number; length: number }): Promise<ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null>;
}

/** Small files, read whole. A map, because the name comes from the address and may be that of an object's member. */
const TEXT_TYPES: ReadonlyMap<string, string> = new Map([
  [RELEASE_FILES.manifest, "application/json"],
  [RELEASE_FILES.signature, "text/plain; charset=utf-8"],
  [RELEASE_FILES.sums, "text/plain; charset=utf-8"],
]);

/** `name` is a target of the release, or one of `RELEASE_FILES`; the 404 lists the targets. */
export async function findDownload(source: DownloadSource, version: string, name: string): Promise<Download> {
  const release = await loadRelease(source, version);
  const { manifest } = release;
  if (TEXT_TYPES.has(name)) return smallDownload(source, release, name);
  const executable = manifest.executables.find(({ target }) => target === name);
  if (executable !== undefined) return storedDownload(source, version, executable, "application/octet-stream");
  if (name === RELEASE_FILES.sbom) {
    return storedDownload(source, version, manifest.sbom, "application/vnd.cyclonedx+json");
  }
  const targets = manifest.executables.map(({ target }) => target).join(", ");
  throw new ProblemError(
    "not_found",
    `Release ${version} has no file of this name. Its targets are ${targets}; its other files are ${Object.values(RELEASE_FILES).join(", ")}.`,
  );
}

/** Large files are streamed, never held in memory. */
async function storedDownload(
  source: DownloadSource,
  version: string,
  { file, bytes, sha256 }: { file: string; bytes: number; sha256: string },
  contentType: string,
): Promise<Download> {
  const key = releaseKey(version, file);
  const [plain, ...coded] = await Promise.all(
    ["", ...RELEASE_CODINGS.map((coding) => CODING_SUFFIX[coding])].map((suffix) => source.sizeOf(key + suffix)),
  );
  if (plain !== bytes) throw gone(version, file, source);
  const codings = RELEASE_CODINGS.filter((_, index) => coded[index] !== null);
  return {
    file,
    contentType,
    codings,
    representation: async (coding) => {
      if (coding === null) return { etag: `"${sha256}"`, size: bytes, read: (part) => source.read(key, part) };
      const size = coded[RELEASE_CODINGS.indexOf(coding)] ?? null;
      if (size === null) return null;
      return {
        etag: `"${sha256}-${coding}"`,
        size,
        read: (part) => source.read(key + CODING_SUFFIX[coding], part),
      };
    },
  };
}

async function smallDownload(source: DownloadSource, release: Release, file: string): Promise<Download> {
  const { version, manifestBytes } = release;
  const bytes = file === RELEASE_FILES.manifest ? manifestBytes : await readSmall(source, releaseKey(version, file));
  if (bytes === null) {
    if (file !== RELEASE_FILES.signature) throw gone(version, file, source);
    throw new ProblemError(
      "not_found",
      `Release ${version} is not signed. To sign a release, build it with BELLHOP_RELEASE_KEY set.`,
    );
  }
  const etag = `"${Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")}"`;
  return {
    file,
    contentType: TEXT_TYPES.get(file) ?? "application/octet-stream",
    codings: [],
    representation: async () => ({
      etag,
      size: bytes.length,
      read: async (part) => (part === undefined ? bytes : bytes.slice(part.offset, part.offset + part.length)),
    }),
  };
}

/** A release is published with all of its files, so a missing one was removed or cut. */
function gone(version: string, file: string, source: DownloadSource): ProblemError {
  return new ProblemError(
    "unavailable",
    `${file} of release ${version} is missing from the downloads' store, or incomplete. Publish it again with ${source.publishHint}.`,
    { headers: { "Retry-After": "60" } },
  );
}
