import {
  RELEASE_FILES,
  latestReleaseSchema,
  releaseManifestSchema,
  releaseVersionSchema,
} from "../../../schema/contract/release.ts";
import type { ReleaseManifest } from "../../../schema/contract/release.ts";
import type { DownloadSource } from "../../store/download-source.ts";
import { ProblemError } from "../problem.ts";

/** Manifests and sums are a few kilobytes, so a larger file is broken. */
const TEXT_MAX_BYTES = 256 * 1024;

export interface Release {
  readonly version: string;
  readonly manifest: ReleaseManifest;
  /** The signed bytes. */
  readonly manifestBytes: Uint8Array<ArrayBuffer>;
}

/** The newest published release's version; 404 when none is published. */
export async function latestVersion(source: DownloadSource): Promise<string> {
  const bytes = await readSmall(source, "agent/latest.json");
  if (bytes === null) {
    throw new ProblemError(
      "not_found",
      `No release of the agent is published here. Build one with a signing key, without which agents cannot update ("Building releases" in docs/install-agent.md): npm run build:agent -- --all, then ${source.publishHint}.`,
    );
  }
  const latest = latestReleaseSchema.safeParse(jsonOf(bytes));
  if (latest.success) return latest.data.version;
  throw broken("agent/latest.json", source);
}

/** A published release; 404 when this version is not published, 503 when its manifest cannot be read. */
export async function loadRelease(source: DownloadSource, version: string): Promise<Release> {
  const manifestBytes = releaseVersionSchema.safeParse(version).success
    ? await readSmall(source, releaseKey(version, RELEASE_FILES.manifest))
    : null;
  if (manifestBytes === null) {
    throw new ProblemError(
      "not_found",
      "There is no release of this version here. /downloads/agent/latest/manifest.json leads to the newest.",
    );
  }
  const manifest = releaseManifestSchema.safeParse(jsonOf(manifestBytes));
  if (manifest.success && manifest.data.version === version) return { version, manifest: manifest.data, manifestBytes };
  throw broken(releaseKey(version, RELEASE_FILES.manifest), source);
}

/** A small file, read whole; null when there is none. */
export async function readSmall(source: DownloadSource, key: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const size = await source.sizeOf(key);
  if (size === null) return null;
  if (size > TEXT_MAX_BYTES) throw broken(key, source);
  const body = await source.read(key);
  return body === null ? null : new Uint8Array(await new Response(body).arrayBuffer());
}

export function releaseKey(version: string, file: string): string {
  return `agent/${version}/${file}`;
}

function broken(key: string, source: DownloadSource): ProblemError {
  return new ProblemError(
    "unavailable",
    `${key} in the downloads' store is not a valid release file: remove it and publish again with ${source.publishHint}.`,
    { headers: { "Retry-After": "60" } },
  );
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
