import { join } from "node:path";
import { RELEASE_TARGETS } from "../../schema/contract/release.ts";
import type { ReleaseTarget } from "../../schema/contract/release.ts";
import { ROOT } from "../paths.ts";
import { agentVersion } from "./agent-bundle.ts";
import { makeRelease } from "./make-release.ts";
import { agentSbom } from "./sbom.ts";
import { KEY_VARIABLE, readSigningKey } from "./signing-key.ts";

/** `npm run build:agent -- --all`: every target's executable and the other files of a release, in dist/release. */
export async function buildRelease(build: (options: { target: ReleaseTarget }) => Promise<string>): Promise<void> {
  const key = readSigningKey(process.env);
  const version = await agentVersion();
  const createdAt = releaseTime(process.env["SOURCE_DATE_EPOCH"]);
  const executables: { target: ReleaseTarget; path: string }[] = [];
  for (const target of RELEASE_TARGETS) {
    console.log(`building ${target} …`);
    executables.push({ target, path: await build({ target }) });
  }
  const directory = join(ROOT, "dist/release", version);
  console.log(`packing into ${directory} …`);
  const { manifest } = await makeRelease({
    version,
    createdAt,
    executables,
    sbom: await agentSbom({ version, createdAt }),
    directory,
    key,
  });
  for (const { file, bytes, sha256 } of manifest.executables) console.log(`${sha256}  ${file}  ${bytes} bytes`);
  if (key === null) {
    console.error(
      `bellhop: this release is not signed: ${KEY_VARIABLE} is not set. Its agents cannot update themselves, and people who install it must trust the server alone.`,
    );
  } else {
    console.log(`signed; the public key, for the Worker's BELLHOP_RELEASE_PUBLIC_KEY, is ${key.publicKey}`);
  }
}

/** SOURCE_DATE_EPOCH, so that one source gives the same bytes twice; otherwise now. */
function releaseTime(epochSeconds: string | undefined): Date {
  if (epochSeconds === undefined || epochSeconds === "") return new Date();
  const time = new Date(Number(epochSeconds) * 1000);
  if (Number.isNaN(time.getTime())) throw new Error("SOURCE_DATE_EPOCH must be a number of seconds since 1970.");
  return time;
}
