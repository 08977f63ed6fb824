import { createHash, generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ReleaseTarget } from "../../schema/contract/release.ts";
import { RELEASE_TARGETS } from "../../schema/contract/release.ts";
import { checkRelease } from "../../scripts/release/check-release.ts";
import { diskStore } from "../../scripts/release/disk-store.ts";
import { makeRelease } from "../../scripts/release/make-release.ts";
import { publish } from "../../scripts/release/publish.ts";
import { KEY_VARIABLE, readSigningKey } from "../../scripts/release/signing-key.ts";
import type { SigningKey } from "../../scripts/release/signing-key.ts";

export const RELEASED_AT = new Date("2026-03-01T12:00:00.000Z");

/** A new key, in the form in which the build reads it from its environment. */
export function testKey(): { pem: string; key: SigningKey } {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" }).toString();
  const key = readSigningKey({ [KEY_VARIABLE]: pem });
  if (key === null) throw new Error("a key that was just made was not read");
  return { pem, key };
}

/** A stand-in for an executable: a program that prints its version as the agent does, notes its other calls, and is large
 * enough to be cut. */
export function standIn(version: string, target: ReleaseTarget, code = 0): string {
  const noise = Array.from({ length: 4_000 }, (_, line) => {
    return `# ${createHash("sha512").update(`${version} ${target} ${line}`).digest("base64")}\n`;
  });
  const call = `[ "$1" = --version ] || echo "$* $BELLHOP_ENROLMENT_CODE" >>"$HOME/agent-calls"\n`;
  return `#!/bin/sh\n${call}echo "bellhop-agent ${version}"\nexit ${code}\n${noise.join("")}`;
}

/** Releases of stand-ins, made and published by the real steps into a directory for workerd's `disk` service. */
export class TestReleases {
  private constructor(
    readonly scratch: string,
    readonly directory: string,
  ) {}

  static async start(): Promise<TestReleases> {
    const scratch = await mkdtemp(join(tmpdir(), "bellhop-release-"));
    return new TestReleases(scratch, join(scratch, "published"));
  }

  /** The directory of a release that is not published. */
  async make(
    version: string,
    key: SigningKey | null,
    options: { targets?: readonly ReleaseTarget[]; code?: number } = {},
  ): Promise<string> {
    const directory = join(this.scratch, crypto.randomUUID(), version);
    const executables = await Promise.all(
      (options.targets ?? RELEASE_TARGETS).map(async (target) => {
        const path = join(this.scratch, `stand-in-${crypto.randomUUID()}`);
        await writeFile(path, standIn(version, target, options.code));
        return { target, path };
      }),
    );
    const sbom = `${JSON.stringify({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1, components: [] })}\n`;
    await makeRelease({ version, createdAt: RELEASED_AT, executables, sbom, directory, key });
    return directory;
  }

  async publish(
    version: string,
    key: SigningKey | null,
    options: { targets?: readonly ReleaseTarget[]; code?: number } = {},
  ): Promise<void> {
    const release = await checkRelease(await this.make(version, key, options), key?.publicKey ?? null);
    await publish(release, diskStore(this.directory), { forceLatest: false, report: () => undefined });
  }

  remove(): Promise<void> {
    return rm(this.scratch, { recursive: true, force: true });
  }
}
