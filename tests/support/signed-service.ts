import { startBellhop } from "./bellhop.ts";
import type { Bellhop } from "./bellhop.ts";
import { TestReleases } from "./test-release.ts";
import type { testKey } from "./test-release.ts";

/** A service with two signed releases of the agent, 1.0.0 and 1.1.0, and the public key of their signatures. */
export async function startSignedService(
  signer: ReturnType<typeof testKey>,
): Promise<{ releases: TestReleases; service: Bellhop }> {
  const releases = await TestReleases.start();
  await releases.publish("1.0.0", signer.key);
  await releases.publish("1.1.0", signer.key);
  const service = await startBellhop({
    downloadsDirectory: releases.directory,
    bindings: { BELLHOP_RELEASE_PUBLIC_KEY: signer.key.publicKey },
  });
  return { releases, service };
}
