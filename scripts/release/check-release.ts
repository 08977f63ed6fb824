import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CODING_SUFFIX,
  RELEASE_FILES,
  latestReleaseSchema,
  releaseManifestSchema,
  verifyReleaseSignature,
} from "../../schema/contract/release.ts";
import type { ReleaseManifest } from "../../schema/contract/release.ts";
import { readManifestBytes, sumOf } from "./make-release.ts";

export interface CheckedRelease {
  readonly directory: string;
  readonly manifest: ReleaseManifest;
  /** All of its files. The manifest is the last, so that an incomplete release has none. */
  readonly files: readonly string[];
  readonly signed: boolean;
}

/**
 * A release as `npm run build:agent -- --all` left it, checked: every sum of the manifest, and the signature when the
 * public key is known. Throws with what is wrong: a published release cannot be taken back.
 */
export async function checkRelease(directory: string, publicKey: string | null): Promise<CheckedRelease> {
  const bytes = await readManifestBytes(directory).catch((cause: unknown) => {
    throw new Error(`There is no release in ${directory}: make one with npm run build:agent -- --all.`, { cause });
  });
  const manifest = parseManifest(bytes.toString("utf8"), directory);
  for (const { file, ...said } of [...manifest.executables, manifest.sbom]) {
    const found = await sumOf(join(directory, file));
    if (found.bytes !== said.bytes || found.sha256 !== said.sha256) {
      throw new Error(`${file} differs from the manifest. Build the release again.`);
    }
  }
  const there = new Set(await readdir(directory));
  const files = releaseFiles(manifest).filter((file) => there.has(file));
  const signed = files.includes(RELEASE_FILES.signature);
  if (signed && publicKey !== null) {
    const signature = await readFile(join(directory, RELEASE_FILES.signature), "utf8");
    if (!(await verifyReleaseSignature(new Uint8Array(bytes), signature, publicKey))) {
      throw new Error("The manifest is not signed with BELLHOP_RELEASE_KEY. Build the release again.");
    }
  }
  return { directory, manifest, files, signed };
}

function parseManifest(text: string, directory: string): ReleaseManifest {
  try {
    return releaseManifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    const path = join(directory, RELEASE_FILES.manifest);
    throw new Error(`${path} is not the manifest of a release. Build the release again.`, { cause });
  }
}

function releaseFiles({ executables, sbom }: ReleaseManifest): string[] {
  const packed = Object.values(CODING_SUFFIX);
  const { manifest, signature, sums } = RELEASE_FILES;
  const stored = [...executables, sbom].flatMap(({ file }) => [file, ...packed.map((suffix) => file + suffix)]);
  return [...stored, sums, signature, manifest];
}

/** Whether `latest` moves to this version: to a newer one, and to a pre-release only before the first full release. */
export function becomesLatest(version: string, current: string | null): boolean {
  if (current === null) return true;
  if (version.includes("-") && !current.includes("-")) return false;
  return Bun.semver.order(version, current) >= 0 || (current.includes("-") && !version.includes("-"));
}

export function latestText(version: string): string {
  return `${JSON.stringify({ version })}\n`;
}

/** Null for a missing or invalid pointer. */
export function parseLatest(text: string | null): string | null {
  if (text === null) return null;
  try {
    return latestReleaseSchema.parse(JSON.parse(text)).version;
  } catch {
    return null;
  }
}
