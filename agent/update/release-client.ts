import {
  RELEASE_FILES,
  releaseManifestSchema,
  releaseUrlPath,
  releaseVersionSchema,
  verifyReleaseSignature,
} from "../../schema/contract/release.ts";
import type { ReleaseExecutable, ReleaseManifest, ReleaseTarget } from "../../schema/contract/release.ts";
import { isLoopbackUrl } from "../../schema/settings/agent-url.ts";
import { CommandRefused } from "../credentials/refused.ts";
import { EXIT } from "../exit-codes.ts";
import { describeError } from "../log.ts";
import { AGENT_VERSION } from "../version.ts";

const MIB = 1_024 * 1_024;
const MANIFEST_MAX_BYTES = MIB;
const SIGNATURE_MAX_BYTES = 1_024;
/** A manifest must not make the agent fill the disk. */
const EXECUTABLE_MAX_BYTES = 1_024 * MIB;
const CALL_TIMEOUT_MS = 30_000;

/**
 * The manifest of a version, or of `latest`, if the holder of `publicKey` signed exactly these bytes. Throws
 * CommandRefused: no such release, not signed, not by this key, not a manifest, not of that version.
 */
export async function fetchManifest(apiUrl: string, asked: string, publicKey: string): Promise<ReleaseManifest> {
  // The manifest and its signature must belong to one release, even while another one is published.
  const version = asked === "latest" ? await latestVersion(apiUrl) : asked;
  const bytes = await fetchFile(apiUrl, version, RELEASE_FILES.manifest, MANIFEST_MAX_BYTES);
  const signature = await fetchFile(apiUrl, version, RELEASE_FILES.signature, SIGNATURE_MAX_BYTES);
  if (bytes === null) {
    throw new CommandRefused(
      EXIT.unavailable,
      `the deployment has no release ${version} of the agent (${apiUrl}${releaseUrlPath(version, "")}). Choose another version, or publish this one`,
    );
  }
  if (signature === null) {
    throw new CommandRefused(
      EXIT.notAllowed,
      "the release is not signed, and unsigned releases are never installed: sign it with its key, and publish it again",
    );
  }
  const signed = await verifyReleaseSignature(bytes, new TextDecoder().decode(signature), publicKey);
  if (!signed) {
    throw new CommandRefused(
      EXIT.notAllowed,
      "the release is not signed with the key that this agent trusts: nothing was installed. Find out whether it was changed, or sign it with that key",
    );
  }
  const manifest = releaseManifestSchema.safeParse(parseJson(new TextDecoder().decode(bytes)));
  if (!manifest.success) {
    throw new CommandRefused(
      EXIT.failed,
      "the release's manifest has a form that this version does not know: install the new version by the install script",
    );
  }
  if (manifest.data.version !== version) {
    throw new CommandRefused(
      EXIT.notAllowed,
      `the manifest of ${version} is for version ${manifest.data.version}: nothing was installed. Choose another version, or publish the release again`,
    );
  }
  return manifest.data;
}

/** `latest` redirects to a version (`schema/contract/api/downloads.ts`). Only the version is read from the address. */
async function latestVersion(apiUrl: string): Promise<string> {
  const response = await request(apiUrl, "latest", RELEASE_FILES.manifest, AbortSignal.timeout(CALL_TIMEOUT_MS));
  await response.body?.cancel();
  const location = response.headers.get("Location") ?? "";
  const version = releaseVersionSchema.safeParse(/\/([^/]+)\/[^/]+$/u.exec(location)?.[1]);
  if (response.status >= 300 && response.status < 400 && version.success) return version.data;
  throw new CommandRefused(
    EXIT.unavailable,
    response.status === 404
      ? `the deployment at ${apiUrl} offers no release of the agent`
      : `${apiUrl} answers ${response.status} when it is asked for its newest release: is it a Bellhop deployment?`,
  );
}

/** The manifest's entry for a target. Throws CommandRefused when the release has none. */
export function executableFor(manifest: ReleaseManifest, target: ReleaseTarget): ReleaseExecutable {
  const found = manifest.executables.find((executable) => executable.target === target);
  if (found === undefined)
    throw new CommandRefused(
      EXIT.unavailable,
      `release ${manifest.version} has no executable for ${target}. Choose another version, or publish the release again with one`,
    );
  if (found.bytes > EXECUTABLE_MAX_BYTES)
    throw new CommandRefused(
      EXIT.failed,
      `release ${manifest.version} is larger than any agent. Choose another version, or publish the release again`,
    );
  return found;
}

/** Null when there is no such file. */
async function fetchFile(
  apiUrl: string,
  version: string,
  name: string,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const response = await getReleaseFile(apiUrl, version, name, { signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
    if (response === null) return null;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw wrongDownload(`${name} of the release is too large`);
      chunks.push(chunk);
    }
    return new Uint8Array(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof CommandRefused) throw error;
    throw new CommandRefused(
      EXIT.unavailable,
      `${name} of the release broke off (${describeError(error)}): try again`,
      { cause: error },
    );
  }
}

/** A file of a release; null when there is none. Throws CommandRefused (`unavailable`) for any other failure. */
export async function getReleaseFile(
  apiUrl: string,
  version: string,
  name: string,
  { signal, headers = {} }: { signal: AbortSignal; headers?: Record<string, string> },
): Promise<Response | null> {
  const response = await request(apiUrl, version, name, signal, headers);
  if (response.ok) return response;
  await response.body?.cancel();
  if (response.status === 404) return null;
  throw new CommandRefused(
    EXIT.unavailable,
    `${apiUrl} answers ${response.status} for ${name} of release ${version}: try again, or check the deployment`,
  );
}

async function request(
  apiUrl: string,
  version: string,
  name: string,
  signal: AbortSignal,
  headers: Record<string, string> = {},
): Promise<Response> {
  try {
    return await fetch(`${apiUrl}${releaseUrlPath(version, name)}`, {
      headers: { "User-Agent": `bellhop-agent/${AGENT_VERSION}`, ...headers },
      redirect: "manual",
      signal,
      ...(isLoopbackUrl(apiUrl) ? { proxy: false as const } : {}),
      ...(apiUrl.startsWith("https:") ? { tls: { rejectUnauthorized: true } } : {}),
    });
  } catch (error) {
    throw new CommandRefused(
      EXIT.unavailable,
      `${name} of the release cannot be fetched from ${apiUrl} (${describeError(error)}): bellhop-agent doctor checks the connection`,
      { cause: error },
    );
  }
}

/** The refusal of a download that does not match the manifest, or is no valid manifest. */
export function wrongDownload(how: string): CommandRefused {
  return new CommandRefused(EXIT.notAllowed, `the downloaded file is not the signed one: ${how}. Nothing was changed`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
