import type { Env } from "../../env.ts";
import type { DownloadSource } from "../../store/download-source.ts";
import { ProblemError } from "../problem.ts";
import { publicOrigin } from "../public-origin.ts";
import { latestVersion, loadRelease } from "./release.ts";

/** What the install scripts are told. Each value has a form in which no shell finds anything to interpret. */
export interface InstallerFacts {
  /** `https://bellhop.example.com`, without a slash at the end. */
  readonly origin: string;
  readonly version: string;
  /** SHA-256 of each executable by its target. */
  readonly sums: readonly { readonly target: string; readonly sha256: string }[];
  /** Base64 of the key's 32 bytes; empty when this deployment does not know one. */
  readonly publicKey: string;
}

// The parser of URLs lets $, ' and ; stand in a host name, and whoever calls chooses it.
const ORIGIN = /^https?:\/\/(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/u;
const PUBLIC_KEY = /^[A-Za-z0-9+/]{43}=$/u;
const TARGET = /^[a-z0-9][a-z0-9-]{0,63}$/u;

/** 404 when nothing is published; 400 when the deployment is called by a name that is none. */
export async function installerFacts(
  source: DownloadSource,
  env: Pick<Env, "PUBLIC_URL" | "BELLHOP_RELEASE_PUBLIC_KEY">,
  requestUrl: string,
): Promise<InstallerFacts> {
  const origin = publicOrigin(env, requestUrl);
  if (!ORIGIN.test(origin)) {
    throw new ProblemError(
      "invalid_request",
      "The host of this address is not a name that an install script could call. Set PUBLIC_URL to the deployment's address.",
    );
  }
  const publicKey = (env.BELLHOP_RELEASE_PUBLIC_KEY ?? "").trim();
  if (publicKey !== "" && !PUBLIC_KEY.test(publicKey)) {
    throw new ProblemError(
      "unavailable",
      "BELLHOP_RELEASE_PUBLIC_KEY is not the base64 of an Ed25519 public key's 32 bytes. Set it to what the build printed, or remove it.",
    );
  }
  const { version, manifest } = await loadRelease(source, await latestVersion(source));
  const sums = manifest.executables
    .filter(({ target }) => TARGET.test(target))
    .map(({ target, sha256 }) => ({ target, sha256 }));
  return { origin, version, sums, publicKey };
}
