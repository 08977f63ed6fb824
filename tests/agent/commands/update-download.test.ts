import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadExecutable } from "../../../agent/update/download.ts";
import { executableFor, fetchManifest } from "../../../agent/update/release-client.ts";
import { startBellhop } from "../../support/bellhop.ts";
import type { Bellhop } from "../../support/bellhop.ts";
import { startFlawedMirror } from "../../support/flawed-mirror.ts";
import type { Flaw } from "../../support/flawed-mirror.ts";
import { SmallDisk, smallDiskMissing } from "../../support/small-disk.ts";
import { TestReleases, standIn, testKey } from "../../support/test-release.ts";

const { key } = testKey();
let releases: TestReleases;
let bellhop: Bellhop;
let directory: string;
beforeAll(async () => {
  releases = await TestReleases.start();
  await releases.publish("7.0.0", key);
  bellhop = await startBellhop({ downloadsDirectory: releases.directory });
});
afterAll(async () => {
  await bellhop.stop();
  await releases.remove();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-download-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Downloads over a connection that spoils answers as `flaw` says; returns the requested ranges. */
async function download(flaw: (body: Buffer, count: number) => Flaw, to = directory) {
  const mirror = await startFlawedMirror(bellhop.url, (path, body, count) =>
    path.endsWith("/linux-x64") ? flaw(body, count) : { kind: "none" },
  );
  const path = join(to, "fresh");
  try {
    const manifest = await fetchManifest(mirror.url, "latest", key.publicKey);
    const work = downloadExecutable(mirror.url, manifest, executableFor(manifest, "linux-x64"), path, async () => {});
    const error = await work.then(
      () => null,
      (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)),
    );
    const asked = mirror.requests.filter((request) => request.path.endsWith("/linux-x64"));
    return { error, ranges: asked.map(({ range }) => range), text: await readFile(path, "utf8").catch(() => null) };
  } finally {
    await mirror.stop();
  }
}

const RANGE = expect.stringMatching(/^bytes=[1-9]\d*-$/u);
const cutInHalf = (body: Buffer): Flaw => ({ kind: "cut", afterBytes: Math.floor(body.length / 2) });

describe("the download of a new executable", () => {
  test("completes over a connection that breaks repeatedly, by resuming at the last received byte", async () => {
    // The unpacked part is kept; the last compressed block never arrives whole.
    const cutAtTheEnd = (body: Buffer): Flaw => ({ kind: "cut", afterBytes: body.length - 1 });
    const { error, ranges, text } = await download((body, count) => (count < 3 ? cutAtTheEnd(body) : { kind: "none" }));
    expect({ error, first: ranges[0], last: ranges.at(-1) }).toEqual({ error: null, first: undefined, last: RANGE });
    expect(text).toBe(standIn("7.0.0", "linux-x64"));
  });

  test("restarts from the beginning when the server does not support ranges", async () => {
    const whole = Buffer.from(standIn("7.0.0", "linux-x64"));
    const { error, text } = await download((body, count) =>
      count === 0 ? cutInHalf(body) : { kind: "replaced", status: 200, body: whole },
    );
    expect(error).toBeNull();
    expect(text).toBe(whole.toString("utf8"));
  });

  test("is retried while the deployment answers 503, five times in a row at most", async () => {
    const away: Flaw = { kind: "replaced", status: 503, body: Buffer.from("") };
    expect(await download((_, count) => (count < 4 ? away : { kind: "none" }))).toMatchObject({ error: null });
    const { error, ranges, text } = await download(() => away);
    expect(error).toContain("the download broke off after 0 bytes, 5 times in a row");
    expect(error).toContain("answers 503");
    expect({ tries: ranges.length, text }).toEqual({ tries: 5, text: null });
  });

  test("with the wrong digest is refused immediately, and leaves no file", async () => {
    const other = Buffer.from(standIn("7.0.0", "linux-x64").replace("exit 0", "exit 1"));
    const { error, ranges, text } = await download(() => ({ kind: "replaced", status: 200, body: other }));
    expect(error).toContain("its SHA-256 is not the manifest's");
    expect({ tries: ranges.length, text }).toEqual({ tries: 1, text: null });
  });

  test.skipIf(smallDiskMissing !== null)(
    `reports a full disk, and leaves no file ${smallDiskMissing ?? ""}`,
    async () => {
      const disk = await SmallDisk.mount({ kib: 64 });
      try {
        const { error, ranges } = await download(() => ({ kind: "none" }), disk.directory);
        expect(error).toContain("cannot be written (ENOSPC");
        expect(ranges).toEqual([undefined]);
        expect(await readdir(disk.directory)).toEqual([]);
      } finally {
        await disk.remove();
      }
    },
  );
});
