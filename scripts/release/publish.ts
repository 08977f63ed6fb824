import { join } from "node:path";
import { RELEASE_FILES } from "../../schema/contract/release.ts";
import { becomesLatest, latestText, parseLatest } from "./check-release.ts";
import type { CheckedRelease } from "./check-release.ts";

/** The destination of releases. Keys are `agent/<version>/<file>` and `agent/latest.json`. */
export interface ReleaseStore {
  /** Null when the key does not exist; for small files. */
  read(key: string): Promise<Buffer | null>;
  /** Readers see the whole file or none. */
  write(key: string, path: string): Promise<void>;
  writeText(key: string, text: string): Promise<void>;
}

export interface Published {
  /** False: the release was already there, with the same bytes. */
  readonly uploaded: boolean;
  /** The version that `latest` now names. */
  readonly latest: string;
}

const LATEST = "agent/latest.json";

/**
 * Publishes a release: its files, then its manifest, and `latest` at the end. A published release is never changed:
 * agents and caches hold its bytes for ever. `forceLatest` moves `latest` back, too. Safe to repeat after an
 * interruption.
 */
export async function publish(
  release: CheckedRelease,
  store: ReleaseStore,
  options: { forceLatest: boolean; report: (line: string) => void },
): Promise<Published> {
  const { directory, files, manifest } = release;
  const { version } = manifest;
  const published = await store.read(keyOf(version, RELEASE_FILES.manifest));
  if (published !== null) await refuseOther(published, release);
  else {
    for (const file of files) {
      options.report(`uploading ${file}`);
      await store.write(keyOf(version, file), join(directory, file));
    }
  }
  const current = parseLatest((await store.read(LATEST))?.toString("utf8") ?? null);
  const latest = options.forceLatest || becomesLatest(version, current) ? version : (current ?? version);
  if (latest !== current) await store.writeText(LATEST, latestText(latest));
  return { uploaded: published === null, latest };
}

/** The manifest has the sums of all large files, so it alone shows whether the releases are the same. */
async function refuseOther(published: Buffer, { directory, manifest }: CheckedRelease): Promise<void> {
  const ours = Buffer.from(await Bun.file(join(directory, RELEASE_FILES.manifest)).arrayBuffer());
  if (published.equals(ours)) return;
  throw new Error(
    `Release ${manifest.version} is published already, with other bytes, and a published release never changes. Raise the version in package.json, and build again.`,
  );
}

function keyOf(version: string, file: string): string {
  return `agent/${version}/${file}`;
}
