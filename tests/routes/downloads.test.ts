import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { Glob } from "bun";
import { downloadLatestRelease, downloadRelease } from "../../schema/contract/api/downloads.ts";
import { problemSchema } from "../../schema/contract/problem.ts";
import { RELEASE_TARGETS, releaseManifestSchema } from "../../schema/contract/release.ts";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { undescribed } from "../support/described.ts";
import { TestReleases, standIn, testKey } from "../support/test-release.ts";

const { key } = testKey();
let releases: TestReleases;
let onDisk: Bellhop;
let inR2: Bellhop;
beforeAll(async () => {
  releases = await TestReleases.start();
  await releases.publish("1.0.0", null, { targets: ["linux-x64"] });
  await releases.publish("1.1.0", key);
  onDisk = await startBellhop({ downloadsDirectory: releases.directory });
  inR2 = await startBellhop();
  const bucket = await inR2.worker.miniflare.getR2Bucket("DOWNLOADS");
  for await (const file of new Glob("agent/**/*").scan({ cwd: releases.directory })) {
    await bucket.put(file, new Uint8Array(await readFile(join(releases.directory, file))));
  }
});
afterAll(async () => {
  await onDisk.stop();
  await inR2.stop();
  await releases.remove();
});

const plain = Buffer.from(standIn("1.1.0", "linux-x64"));
const sum = createHash("sha256").update(plain).digest("hex");

describe.each([
  { source: "workerd's disk service", service: () => onDisk },
  { source: "R2", service: () => inR2 },
])("downloads from $source", ({ service }) => {
  /** The response as it comes over the wire: nothing is unpacked, no redirect is followed. */
  const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(`${service().url}/downloads/agent/${path}`, {
      method,
      headers: { "Accept-Encoding": "identity", ...headers },
      redirect: "manual",
      decompress: false,
    });
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

  test("serve every executable with its bytes, name, size and checksum", async () => {
    for (const target of RELEASE_TARGETS) {
      const response = await get(`1.1.0/${target}`);
      const expected = Buffer.from(standIn("1.1.0", target));
      expect(response.status).toBe(200);
      expect((await bytesOf(response)).equals(expected)).toBe(true);
      expect(response.headers.get("ETag")).toBe(`"${createHash("sha256").update(expected).digest("hex")}"`);
      expect(response.headers.get("Content-Length")).toBe(String(expected.length));
      const file = `bellhop-agent-${target}${target === "windows-x64" ? ".exe" : ""}`;
      expect(response.headers.get("Content-Disposition")).toBe(`attachment; filename="${file}"`);
      expect(response.headers.get("Content-Type")).toBe("application/octet-stream");
      expect(response.headers.get("Vary")).toBe("Accept-Encoding");
      expect(response.headers.get("Cache-Control")).toContain("immutable");
      expect(response.headers.get("Accept-Ranges")).toBe("bytes");
      expect(response.headers.get("Content-Encoding")).toBeNull();
    }
  });

  test("serve the published bytes: manifest, signature, checksums, SBOM", async () => {
    for (const file of ["manifest.json", "manifest.json.sig", "SHA256SUMS", "sbom.cdx.json"]) {
      const response = await get(`1.1.0/${file}`);
      const expected = await readFile(join(releases.directory, "agent/1.1.0", file));
      expect((await bytesOf(response)).equals(expected)).toBe(true);
      expect(response.headers.get("ETag")).toBe(`"${createHash("sha256").update(expected).digest("hex")}"`);
    }
    expect(releaseManifestSchema.parse(await (await get("1.1.0/manifest.json")).json()).version).toBe("1.1.0");
  });

  test.each([
    { coding: "gzip", unpack: gunzipSync },
    { coding: "zstd", unpack: zstdDecompressSync },
  ])("are packed with $coding for a client that accepts it, under another tag", async ({ coding, unpack }) => {
    const response = await get("1.1.0/linux-x64", { "Accept-Encoding": coding });
    const packed = await bytesOf(response);
    expect(response.headers.get("Content-Encoding")).toBe(coding);
    expect(response.headers.get("ETag")).toBe(`"${sum}-${coding}"`);
    expect(response.headers.get("Vary")).toBe("Accept-Encoding");
    expect(response.headers.get("Content-Length")).toBe(String(packed.length));
    expect(packed.length).toBeLessThan(plain.length);
    expect(unpack(packed).equals(plain)).toBe(true);
  });

  test("answer HEAD like GET, without the bytes", async () => {
    for (const coding of ["identity", "gzip", "zstd"]) {
      const headers = { "Accept-Encoding": coding };
      const [head, whole] = [await get("1.1.0/linux-x64", headers, "HEAD"), await get("1.1.0/linux-x64", headers)];
      await whole.arrayBuffer();
      for (const name of ["ETag", "Content-Length", "Content-Encoding", "Content-Type", "Vary"]) {
        expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
      expect([head.status, (await bytesOf(head)).length]).toEqual([200, 0]);
    }
    const ranged = await get("1.1.0/linux-x64", { Range: "bytes=0-9" }, "HEAD");
    expect(ranged.status).toBe(200);
  });

  test("serve one range of the full response, packed or not", async () => {
    const packed = await bytesOf(await get("1.1.0/linux-x64", { "Accept-Encoding": "gzip" }));
    const cases = [
      { coding: "identity", whole: plain },
      { coding: "gzip", whole: packed },
    ];
    for (const { coding, whole } of cases) {
      const size = whole.length;
      for (const [range, from, to] of [
        ["bytes=0-0", 0, 1],
        ["bytes=1000-1999", 1000, 2000],
        [`bytes=${size - 3}-`, size - 3, size],
        ["bytes=-7", size - 7, size],
        ["bytes=0-", 0, size],
        [`bytes=5-${size + 10}`, 5, size],
      ] as const) {
        const response = await get("1.1.0/linux-x64", { "Accept-Encoding": coding, Range: range });
        expect([range, response.status]).toEqual([range, 206]);
        expect(response.headers.get("Content-Range")).toBe(`bytes ${from}-${to - 1}/${size}`);
        expect(response.headers.get("Content-Length")).toBe(String(to - from));
        expect((await bytesOf(response)).equals(whole.subarray(from, to))).toBe(true);
      }
    }
    const sums = await get("1.1.0/SHA256SUMS", { Range: "bytes=0-63" });
    expect([sums.status, await sums.text()]).toEqual([206, sum]);
  });

  test("answer 416 with the size to a range past the end, and ignore an invalid one", async () => {
    const response = await get("1.1.0/linux-x64", { Range: `bytes=${plain.length}-` });
    expect(response.headers.get("Content-Range")).toBe(`bytes */${plain.length}`);
    expect(response.status).toBe(416);
    expect(problemSchema.parse(await response.clone().json()).code).toBe("range_not_satisfiable");
    expect(await undescribed(downloadRelease, response)).toEqual([]);
    for (const range of ["bytes=1-2,5-6", "lines=1-2", "bytes=5-4"]) {
      const whole = await get("1.1.0/linux-x64", { Range: range });
      expect([range, whole.status, (await bytesOf(whole)).length]).toEqual([range, 200, plain.length]);
    }
  });

  test("continue with a range only while the tag is the same", async () => {
    const range = { Range: "bytes=10-19" };
    expect((await get("1.1.0/linux-x64", { ...range, "If-Range": `"${sum}"` })).status).toBe(206);
    for (const tag of ['"other"', `W/"${sum}"`, `"${sum}-gzip"`, "Sun, 01 Mar 2026 12:00:00 GMT"]) {
      const whole = await get("1.1.0/linux-x64", { ...range, "If-Range": tag });
      expect([tag, whole.status, (await bytesOf(whole)).length]).toEqual([tag, 200, plain.length]);
    }
  });

  test("are 304 for a client that has this representation, and 200 for one that has another", async () => {
    const match = (tag: string, coding = "identity") =>
      get("1.1.0/linux-x64", { "If-None-Match": tag, "Accept-Encoding": coding });
    const unchanged = await match(`"x", W/"${sum}"`);
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
    expect(unchanged.headers.get("ETag")).toBe(`"${sum}"`);
    expect(unchanged.headers.get("Vary")).toBe("Accept-Encoding");
    expect((await match("*")).status).toBe(304);
    expect((await match(`"${sum}-gzip"`, "gzip")).status).toBe(304);
    for (const response of [await match(`"${sum}-gzip"`), await match(`"${sum}"`, "gzip")]) {
      expect([response.status, (await bytesOf(response)).length > 0]).toEqual([200, true]);
    }
  });

  test("redirect from latest to the newest version, and the redirect is never cached", async () => {
    for (const name of ["linux-x64", "manifest.json", "SHA256SUMS"]) {
      for (const method of ["GET", "HEAD"]) {
        const response = await get(`latest/${name}`, {}, method);
        expect([response.status, response.headers.get("Location")]).toEqual([302, `/downloads/agent/1.1.0/${name}`]);
        expect(response.headers.get("Cache-Control")).toBe("no-store");
        if (method === "GET") expect(await undescribed(downloadLatestRelease, response)).toEqual([]);
      }
    }
    expect((await get("latest/plan9-x64")).status).toBe(404);
  });

  test("answer 404 for what does not exist, and say what does", async () => {
    const detail = async (path: string) => {
      const response = await get(path);
      expect([path, response.status, response.headers.get("Cache-Control")]).toEqual([path, 404, "no-store"]);
      return problemSchema.parse(await response.json()).detail;
    };
    expect(await detail("9.9.9/linux-x64")).toContain("no release of this version");
    expect(await detail("1.0.0/linux-arm64")).toContain("Its targets are linux-x64;");
    expect(await detail("1.1.0/bellhop-agent-linux-x64")).toContain("linux-x64, linux-arm64");
    expect(await detail("1.0.0/manifest.json.sig")).toContain("is not signed");
    expect(await undescribed(downloadRelease, await get("9.9.9/linux-x64"))).toEqual([]);
  });

  test.each([
    "..%2flatest/linux-x64",
    "1.1.0/..%2f..%2flatest.json",
    "1.1.0/%2e%2e%2fmanifest.json",
    "1.1.0/..%5cmanifest.json",
    "1.1.0%2f/manifest.json",
    "%2e%2e%2f%2e%2e%2fagent/linux-x64",
    "1.1.0/%00",
    "1.1.0/linux-x64%00.gz",
    "1.1.0/bellhop-agent-linux-x64.gz",
    "1.1.0/.publish-x",
    "1.1.0/",
    "1.1.0",
    "latest.json",
    "constructor/linux-x64",
    "1.1.0/constructor",
    "1.1.0/__proto__",
    "1.1.0/linux-x64/x",
    "1.1.0/%ff",
  ])("refuse the path %s", async (path) => {
    const response = await get(path);
    await response.arrayBuffer();
    expect(response.status).toBe(404);
  });

  test("accept only GET and HEAD", async () => {
    const response = await get("1.1.0/linux-x64", {}, "PUT");
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  });
});

describe("a deployment's downloads", () => {
  const detailOf = async (response: Response) => problemSchema.parse(await response.json()).detail;

  test("that are not published say how to publish them, and so do the install scripts", async () => {
    const empty = await TestReleases.start();
    const service = await startBellhop({ downloadsDirectory: empty.scratch });
    try {
      for (const path of ["/downloads/agent/latest/linux-x64", "/install.sh", "/install.ps1"]) {
        const response = await fetch(service.url + path);
        expect([path, response.status]).toEqual([path, 404]);
        expect(await detailOf(response)).toContain("npm run publish:agent -- --to disk <directory>");
      }
    } finally {
      await service.stop();
      await empty.remove();
    }
  });

  test("whose files are cut, missing or have no manifest are 503 with what to do, never half a file", async () => {
    const damaged = await TestReleases.start();
    await damaged.publish("1.0.0", key);
    const service = await startBellhop({ downloadsDirectory: damaged.directory });
    const at = (file: string) => join(damaged.directory, "agent/1.0.0", file);
    const ask = (name: string) => fetch(`${service.url}/downloads/agent/1.0.0/${name}`);
    try {
      await writeFile(at("bellhop-agent-linux-x64"), "half");
      await rm(at("SHA256SUMS"));
      for (const name of ["linux-x64", "SHA256SUMS"]) {
        const response = await ask(name);
        expect([name, response.status]).toEqual([name, 503]);
        expect(await detailOf(response)).toContain("Publish it again");
      }
      await rm(at("bellhop-agent-linux-arm64.zst"));
      expect((await ask("linux-arm64")).status).toBe(200);
      for (const text of ["", "{}", "x".repeat(300 * 1024)]) {
        await writeFile(at("manifest.json"), text);
        const response = await ask("linux-arm64");
        expect(response.status).toBe(503);
        expect(await detailOf(response)).toContain("agent/1.0.0/manifest.json");
      }
      await writeFile(join(damaged.directory, "agent/latest.json"), "[]");
      const latest = await fetch(`${service.url}/downloads/agent/latest/linux-x64`);
      expect([latest.status, await detailOf(latest)]).toEqual([503, expect.stringContaining("agent/latest.json")]);
    } finally {
      await service.stop();
      await damaged.remove();
    }
  });

  test("are packed for and resumed by curl as by any client", async () => {
    const curl = async (...args: string[]) => {
      const child = Bun.spawn(["curl", "-fsS", ...args], { stdout: "pipe", stderr: "pipe" });
      const [out, code] = await Promise.all([new Response(child.stdout).arrayBuffer(), child.exited]);
      expect([await new Response(child.stderr).text(), code]).toEqual(["", 0]);
      return Buffer.from(out);
    };
    const url = `${inR2.url}/downloads/agent/latest/linux-x64`;
    expect((await curl("-L", "--compressed", url)).equals(plain)).toBe(true);
    const file = join(releases.scratch, "resumed");
    await writeFile(file, plain.subarray(0, 12_345));
    await curl("-L", "-C", "-", "-o", file, url);
    expect((await readFile(file)).equals(plain)).toBe(true);
  });
});
