import type { DownloadSource } from "../../store/download-source.ts";
import { ProblemError } from "../problem.ts";
import { publicOrigin } from "../public-origin.ts";
import type { Settings } from "../settings.ts";
import { latestVersion, loadRelease } from "./release.ts";

/** The values in the install scripts. Each has a form in which no shell finds anything to interpret. */
export interface InstallerFacts {
  /** `https://bellhop.example.com`, without a trailing slash. */
  readonly origin: string;
  readonly version: string;
  /** SHA-256 of each executable by its target. */
  readonly sums: readonly { readonly target: string; readonly sha256: string }[];
  /** Base64 of the 32-byte key; empty when this deployment has none. */
  readonly publicKey: string;
}

// URL parsers accept $, ' and ; in a host name, and the caller chooses the host.
const ORIGIN = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/u;
const TARGET = /^[a-z0-9][a-z0-9-]{0,63}$/u;

/** 404 when nothing is published; 400 when the request's host is not a valid name. */
export async function installerFacts(
  source: DownloadSource,
  settings: Pick<Settings, "publicOrigin" | "releasePublicKey">,
  requestUrl: string,
): Promise<InstallerFacts> {
  const origin = publicOrigin(settings, requestUrl);
  if (!ORIGIN.test(origin)) {
    throw new ProblemError(
      "invalid_request",
      "The host of this address is not a name that an install script can use. Set PUBLIC_URL to the deployment's address.",
    );
  }
  const publicKey = settings.releasePublicKey ?? "";
  if (publicKey === "wrong") {
    throw new ProblemError("unavailable", "BELLHOP_RELEASE_PUBLIC_KEY is wrong: GET /readyz says what it must be.");
  }
  const { version, manifest } = await loadRelease(source, await latestVersion(source));
  const sums = manifest.executables
    .filter(({ target }) => TARGET.test(target))
    .map(({ target, sha256 }) => ({ target, sha256 }));
  return { origin, version, sums, publicKey };
}
