import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { startFlawedMirror } from "../support/flawed-mirror.ts";
import type { Flaw } from "../support/flawed-mirror.ts";
import {
  SHELLS,
  expectInstalled,
  expectNothingInstalled,
  machine,
  removeMachines,
  runInstaller,
  scriptOf,
} from "../support/install-machine.ts";
import { startSignedService } from "../support/signed-service.ts";
import { TestReleases, testKey } from "../support/test-release.ts";

const signer = testKey();
const otherSigner = testKey();
let releases: TestReleases;
let service: Bellhop;
let unsigned: TestReleases;
let unsignedService: Bellhop;
beforeAll(async () => {
  ({ releases, service } = await startSignedService(signer));
  unsigned = await TestReleases.start();
  await unsigned.publish("1.1.0", null);
  unsignedService = await startBellhop({ downloadsDirectory: unsigned.directory });
});
afterAll(async () => {
  await service.stop();
  await releases.remove();
  await unsignedService.stop();
  await unsigned.remove();
  await removeMachines();
});

const spoil =
  (what: string, flaw: (body: Buffer, count: number) => Flaw) => (path: string, body: Buffer, count: number) =>
    path.endsWith(what) ? flaw(body, count) : ({ kind: "none" } as const);
const replaced = (body: Buffer | string, status = 200): Flaw => ({ kind: "replaced", status, body: Buffer.from(body) });

for (const { shell, command, missing } of SHELLS) {
  describe.skipIf(missing !== "")(`install.sh in ${shell}${missing}`, () => {
    const withMirror = async (
      flaw: Parameters<typeof startFlawedMirror>[1],
      work: (script: string, requests: { path: string; range: string | undefined }[]) => Promise<void>,
    ) => {
      const mirror = await startFlawedMirror(service.url, flaw);
      try {
        await work(await scriptOf(mirror.url), mirror.requests);
      } finally {
        await mirror.stop();
      }
    };

    test("continues a cut download at its end", async () => {
      const flaw = spoil("/linux-x64", (body, count) =>
        count < 2 ? { kind: "cut", afterBytes: Math.floor(body.length / 3) } : { kind: "none" },
      );
      await withMirror(flaw, async (script, requests) => {
        const here = await machine();
        expect(await runInstaller(command, script, here)).toMatchObject({ code: 0, stderr: "" });
        await expectInstalled(here, "1.1.0");
        const ranges = requests.filter(({ path }) => path.endsWith("/linux-x64")).map(({ range }) => range);
        expect(ranges).toEqual([
          undefined,
          expect.stringMatching(/^bytes=\d+-$/u),
          expect.stringMatching(/^bytes=\d+-$/u),
        ]);
      });
    });

    test("refuses a download that stays cut, and leaves no file", async () => {
      await withMirror(
        spoil("/linux-x64", () => ({ kind: "cut", afterBytes: 0 })),
        async (script) => {
          const here = await machine();
          const { code, stderr } = await runInstaller(command, script, here);
          expect([code, stderr]).toEqual([1, expect.stringContaining("could not be downloaded")]);
          expect(stderr).toContain("HTTPS_PROXY");
          await expectNothingInstalled(here);
        },
      );
    });

    test("does not run a download with a wrong sum, and leaves no file", async () => {
      const here = await machine();
      const trap = `#!/bin/sh\ntouch ${here.home}/ran\n`;
      await withMirror(
        spoil("/linux-x64", () => replaced(trap)),
        async (script) => {
          const { code, stderr } = await runInstaller(command, script, here);
          expect([code, stderr]).toEqual([1, expect.stringContaining("the download differs from the published file")]);
          await expectNothingInstalled(here);
        },
      );
    });

    test("refuses a release with a manifest that is changed, unsigned or signed by another key", async () => {
      const other = otherSigner.key.sign(await readFile(join(releases.directory, "agent/1.1.0/manifest.json")));
      const cases: [ReturnType<typeof spoil>, string][] = [
        [
          spoil("/manifest.json.sig", () => replaced(`${other}\n`)),
          "the signature of release 1.1.0 was not made with the key",
        ],
        [
          spoil("/manifest.json.sig", () => replaced("not base64\n")),
          "the signature of release 1.1.0 was not made with the key",
        ],
        [
          spoil("/manifest.json", (body) => replaced(body.toString().replace('"protocol": 1', '"protocol": 2'))),
          "the signature",
        ],
        [spoil("/manifest.json.sig", () => replaced("", 404)), "is not signed"],
      ];
      for (const [flaw, expected] of cases) {
        await withMirror(flaw, async (script) => {
          const here = await machine();
          const { code, stderr } = await runInstaller(command, script, here);
          expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
          await expectNothingInstalled(here);
        });
      }
    });

    test("refuses an older release in place of the requested one", async () => {
      const old = (file: string) => readFile(join(releases.directory, "agent/1.0.0", file));
      const files: Record<string, Buffer> = {
        "manifest.json": await old("manifest.json"),
        "manifest.json.sig": await old("manifest.json.sig"),
      };
      const swap = (path: string): Flaw => {
        const body = path.includes("/1.1.0/") ? files[path.split("/").at(-1) ?? ""] : undefined;
        return body === undefined ? { kind: "none" } : replaced(body);
      };
      await withMirror(swap, async (script) => {
        const here = await machine();
        const { code, stderr } = await runInstaller(command, script, here);
        expect([code, stderr]).toEqual([1, expect.stringContaining("names another version")]);
        await expectNothingInstalled(here);
      });
    });

    test("prefers a given key to the deployment's, and stops when it cannot check the signature", async () => {
      const script = await scriptOf(unsignedService.url);
      const env = { BELLHOP_RELEASE_PUBLIC_KEY: signer.key.publicKey };
      const [plain, given, noOpenssl, noOpensslPlain] = [
        await machine(),
        await machine(),
        await machine({ without: ["openssl"] }),
        await machine({ without: ["openssl"] }),
      ];
      const unsignedRun = await runInstaller(command, script, plain);
      expect([unsignedRun.code, unsignedRun.stdout]).toEqual([
        0,
        expect.stringContaining(
          "its SHA-256 sum is correct (no signature was checked: this deployment names no release key)",
        ),
      ]);
      const refused = await runInstaller(command, script, given, { env });
      expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("is not signed")]);
      await expectNothingInstalled(given);
      const unable = await runInstaller(command, script, noOpenssl, { env });
      expect([unable.code, unable.stderr]).toEqual([1, expect.stringContaining("cannot be checked without openssl 3")]);
      await expectNothingInstalled(noOpenssl);
      // If only the deployment names a key, the sum must be enough, and the script says so.
      const warned = await runInstaller(command, await scriptOf(service.url), noOpensslPlain);
      expect([warned.code, warned.stderr]).toEqual([0, expect.stringContaining("not the signature")]);
    });
  });
}
