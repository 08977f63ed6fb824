import { createHash } from "node:crypto";
import { copyFile, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { AGENT_PROTOCOL } from "../../schema/contract/agent.ts";
import { CODING_SUFFIX, RELEASE_CODINGS, RELEASE_FILES, executableFile } from "../../schema/contract/release.ts";
import type { ReleaseManifest, ReleaseTarget } from "../../schema/contract/release.ts";
import { pack } from "./pack.ts";
import type { SigningKey } from "./signing-key.ts";

export interface ReleaseParts {
  version: string;
  createdAt: Date;
  executables: readonly { target: ReleaseTarget; path: string }[];
  /** The SBOM: CycloneDX, as text. */
  sbom: string;
  /** The release's directory, replaced as a whole at the end. */
  directory: string;
  /** Null: the release is not signed. */
  key: SigningKey | null;
}

/**
 * Makes a release ready to publish: executables, their packed copies, SHA256SUMS, the SBOM, the manifest and its
 * signature. The same parts give the same bytes.
 */
export async function makeRelease(parts: ReleaseParts): Promise<{ manifest: ReleaseManifest }> {
  const { version, directory, key } = parts;
  const aside = join(dirname(directory), `.${basename(directory)}-${crypto.randomUUID()}`);
  try {
    await mkdir(aside, { recursive: true });
    const executables: ReleaseManifest["executables"] = [];
    for (const { target, path } of parts.executables) {
      const file = executableFile(target);
      await copyFile(path, join(aside, file));
      executables.push({ target, file, ...(await packAll(join(aside, file))) });
    }
    const sbomFile = RELEASE_FILES.sbom;
    await writeFile(join(aside, sbomFile), parts.sbom);
    const sbom = { file: sbomFile, ...(await packAll(join(aside, sbomFile))) };
    const manifest: ReleaseManifest = {
      version,
      createdAt: parts.createdAt.toISOString(),
      protocol: AGENT_PROTOCOL,
      executables,
      sbom,
    };
    const bytes = Buffer.from(manifestText(manifest));
    await writeFile(join(aside, RELEASE_FILES.manifest), bytes);
    await writeFile(join(aside, RELEASE_FILES.sums), sumsText(manifest));
    if (key !== null) await writeFile(join(aside, RELEASE_FILES.signature), `${key.sign(bytes)}\n`);
    await rm(directory, { recursive: true, force: true });
    await rename(aside, directory);
    return { manifest };
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** JSON with one executable per line: the install script reads it with sed. */
function manifestText({ executables, ...rest }: ReleaseManifest): string {
  const { version, createdAt, protocol, sbom } = rest;
  const line = (name: string, value: unknown) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  return `{
${[line("version", version), line("createdAt", createdAt), line("protocol", protocol)].join(",\n")},
  "executables": [
${executables.map((executable) => `    ${JSON.stringify(executable)}`).join(",\n")}
  ],
${line("sbom", sbom)}
}
`;
}

/** In the format of `sha256sum --check`. */
function sumsText({ executables, sbom }: ReleaseManifest): string {
  return [...executables, sbom].map(({ sha256, file }) => `${sha256}  ${file}\n`).join("");
}

async function packAll(path: string): Promise<{ bytes: number; sha256: string }> {
  for (const coding of RELEASE_CODINGS) await pack(path, `${path}${CODING_SUFFIX[coding]}`, coding);
  return sumOf(path);
}

/** The size and the SHA-256 of a file, read in pieces. */
export async function sumOf(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  const file = await open(path);
  let bytes = 0;
  try {
    for await (const chunk of file.readableWebStream()) {
      const piece = new Uint8Array(chunk);
      hash.update(piece);
      bytes += piece.length;
    }
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** The unparsed manifest in a release's directory. */
export function readManifestBytes(directory: string): Promise<Buffer> {
  return readFile(join(directory, RELEASE_FILES.manifest));
}
