import { z } from "zod";
import { AGENT_PROTOCOL } from "./agent.ts";

// Bun and workerd both have these; the types of this folder include neither.
declare const atob: (base64: string) => string;
declare const crypto: {
  readonly subtle: {
    importKey(
      format: "raw",
      key: Uint8Array<ArrayBuffer>,
      algorithm: { name: "Ed25519" },
      extractable: false,
      usages: ["verify"],
    ): Promise<unknown>;
    verify(
      algorithm: { name: "Ed25519" },
      key: unknown,
      signature: Uint8Array<ArrayBuffer>,
      data: Uint8Array<ArrayBuffer>,
    ): Promise<boolean>;
  };
};

/**
 * A release of the agent: its executables, their checksums, and the signed manifest. Written by `scripts/release/`,
 * served by the Worker below `/downloads/agent/`, read by `bellhop-agent update` and by the install scripts. Readers
 * ignore unknown fields.
 */
export const RELEASE_TARGETS = ["linux-x64", "linux-arm64", "linux-x64-musl", "windows-x64"] as const;

/**
 * The kind of machine that an executable runs on. There are no variants for older x64 processors: Bun's runtime needs
 * only SSE4.2 and uses AVX2 if present, and its `baseline` packages have the same bytes.
 */
export const releaseTargetSchema = z.enum(RELEASE_TARGETS);
export type ReleaseTarget = z.infer<typeof releaseTargetSchema>;

/** The path of a release's files, and the names of the files in every release. */
export const RELEASE_PATH = "/downloads/agent";
export const RELEASE_FILES = {
  manifest: "manifest.json",
  /** Base64 of the 64 bytes of the Ed25519 signature over the manifest's bytes; absent from an unsigned release. */
  signature: "manifest.json.sig",
  sums: "SHA256SUMS",
  sbom: "sbom.cdx.json",
} as const;

/** The content codings of executables and the SBOM, in addition to the plain files; the better one first. */
export const RELEASE_CODINGS = ["zstd", "gzip"] as const;
export type ReleaseCoding = (typeof RELEASE_CODINGS)[number];
/** The suffix of a file in that coding. */
export const CODING_SUFFIX = { zstd: ".zst", gzip: ".gz" } as const satisfies Record<ReleaseCoding, string>;

/** Semantic Versioning 2.0.0 without build metadata, which would give one release two names. */
export const releaseVersionSchema = z
  .string()
  .max(64)
  .regex(
    /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?$/u,
    "must be a version such as 1.4.0 or 1.4.0-rc.1",
  );

const fileSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u, "must be a file name without a directory");
const bytesSchema = z.int().positive();
const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/u, "must be a SHA-256 in lower-case hexadecimal digits");

export const releaseExecutableSchema = z.object({
  // A later release may have targets that its reader does not know.
  target: z.string().min(1).max(64),
  file: fileSchema,
  bytes: bytesSchema,
  sha256: sha256Schema,
});
export type ReleaseExecutable = z.infer<typeof releaseExecutableSchema>;

export const releaseManifestSchema = z.object({
  version: releaseVersionSchema,
  createdAt: z.iso.datetime(),
  /** The wire protocol that the executables speak. */
  protocol: z.literal(AGENT_PROTOCOL),
  executables: z.array(releaseExecutableSchema).min(1),
  sbom: z.object({ file: fileSchema, bytes: bytesSchema, sha256: sha256Schema }),
});
export type ReleaseManifest = z.infer<typeof releaseManifestSchema>;

/** `agent/latest.json` of the store: the newest published release. */
export const latestReleaseSchema = z.object({ version: releaseVersionSchema });

/** `bellhop-agent-<target>[.exe]`: the file name of an executable in a release. */
export function executableFile(target: ReleaseTarget): string {
  return `bellhop-agent-${target}${target.startsWith("windows") ? ".exe" : ""}`;
}

/** The path below a deployment's origin; `version` may be `latest`, `name` is a target or one of `RELEASE_FILES`. */
export function releaseUrlPath(version: string, name: string): string {
  return `${RELEASE_PATH}/${version}/${name}`;
}

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Whether `signature` (base64, as in `manifest.json.sig`, with or without a final newline) is the Ed25519 signature of
 * these exact bytes by the holder of `publicKey` (base64 of its 32 raw bytes). False also for an invalid signature or
 * key; never throws. Read the manifest's fields only after this has returned true.
 */
export async function verifyReleaseSignature(
  bytes: Uint8Array<ArrayBuffer>,
  signature: string,
  publicKey: string,
): Promise<boolean> {
  const signatureBytes = fromBase64(signature.trim(), SIGNATURE_BYTES);
  const keyBytes = fromBase64(publicKey.trim(), PUBLIC_KEY_BYTES);
  if (signatureBytes === null || keyBytes === null) return false;
  try {
    const key = await crypto.subtle.importKey("raw", keyBytes, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, signatureBytes, bytes);
  } catch {
    return false;
  }
}

/** Null unless it is the base64 of exactly this many bytes. */
function fromBase64(text: string, length: number): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(text) || text.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return bytes.length === length ? bytes : null;
}
