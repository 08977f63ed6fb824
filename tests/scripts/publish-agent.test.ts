import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { becomesLatest, checkRelease } from "../../scripts/release/check-release.ts";
import { diskStore } from "../../scripts/release/disk-store.ts";
import { publish } from "../../scripts/release/publish.ts";
import type { ReleaseStore } from "../../scripts/release/publish.ts";
import { r2Store } from "../../scripts/release/r2-store.ts";
import { TestReleases, testKey } from "../support/test-release.ts";

const signer = testKey();
let releases: TestReleases;
let first: string;
beforeAll(async () => {
  releases = await TestReleases.start();
  first = await releases.make("1.0.0", signer.key);
});
afterAll(() => releases.remove());

/** Replaces wrangler: stores objects, and reports a missing object like wrangler. */
async function standInForWrangler(root: string): Promise<string[]> {
  const program = join(releases.scratch, `wrangler-${crypto.randomUUID()}.ts`);
  await writeFile(
    program,
    `import { appendFile, copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
const [, , r2, object, verb, name, ...args] = process.argv;
const file = args[args.indexOf("--file") + 1];
const at = join(${JSON.stringify(root)}, name);
await mkdir(${JSON.stringify(root)}, { recursive: true });
await appendFile(${JSON.stringify(join(root, "calls"))}, verb + " " + name + " " + args.at(-1) + " " + (process.env.BELLHOP_RELEASE_KEY ?? "no key") + "\\n");
if (r2 !== "r2" || object !== "object" || process.env.WRANGLER_FAILS === verb) {
  console.error("✘ [ERROR] A request to the Cloudflare API failed. Authentication error [code: 10000]");
  process.exit(1);
}
if (verb === "put") { await mkdir(dirname(at), { recursive: true }); await copyFile(file, at); }
else if (await Bun.file(at).exists()) await copyFile(at, file);
else { console.error("✘ [ERROR] The specified key does not exist."); process.exit(1); }
`,
  );
  return [process.execPath, program];
}

const kinds = [
  { kind: "a directory", open: async (root: string): Promise<ReleaseStore> => diskStore(join(root, "b")) },
  { kind: "a bucket", open: async (root: string) => r2Store("b", await standInForWrangler(root)) },
];

describe.each(kinds)("publishing to $kind", ({ open }) => {
  const place = async () => {
    const root = join(releases.scratch, crypto.randomUUID());
    return { root, store: await open(root), at: (key: string) => join(root, "b", key) };
  };
  const publishTo = async (store: ReleaseStore, directory: string, forceLatest = false) =>
    publish(await checkRelease(directory, null), store, { forceLatest, report: () => undefined });

  test("puts every file where the Worker looks for it, and then points latest to the release", async () => {
    const { store, at } = await place();
    expect(await publishTo(store, first)).toEqual({ uploaded: true, latest: "1.0.0" });
    const files = (await readdir(first)).sort();
    expect((await readdir(at("agent/1.0.0"))).sort()).toEqual(files);
    for (const file of files) {
      const [published, made] = [await readFile(at(`agent/1.0.0/${file}`)), await readFile(join(first, file))];
      expect([file, published.equals(made)]).toEqual([file, true]);
    }
    expect(JSON.parse(await readFile(at("agent/latest.json"), "utf8"))).toEqual({ version: "1.0.0" });
  });

  test("changes nothing when it is repeated, and continues after an interruption", async () => {
    const { store, at } = await place();
    let left = 5;
    const failing: ReleaseStore = {
      ...store,
      write: (key, path) => ((left -= 1) < 0 ? Promise.reject(new Error("the line is cut")) : store.write(key, path)),
    };
    await expect(publishTo(failing, first)).rejects.toThrow("the line is cut");
    expect(await readdir(at("agent"))).toEqual(["1.0.0"]);
    expect(await readdir(at("agent/1.0.0"))).not.toContain("manifest.json");
    expect(await publishTo(store, first)).toEqual({ uploaded: true, latest: "1.0.0" });
    expect(await publishTo(store, first)).toEqual({ uploaded: false, latest: "1.0.0" });
  });

  test("refuses other bytes under a published version, and leaves that version unchanged", async () => {
    const { store, at } = await place();
    await publishTo(store, first);
    const other = await releases.make("1.0.0", null, { targets: ["linux-x64"] });
    await expect(publishTo(store, other)).rejects.toThrow("Raise the version in package.json");
    expect((await readFile(at("agent/1.0.0/manifest.json"))).equals(await readFile(join(first, "manifest.json")))).toBe(
      true,
    );
  });

  test("moves latest only forwards, unless an option moves it back", async () => {
    const { store } = await place();
    const make = (version: string) => releases.make(version, signer.key, { targets: ["linux-x64"] });
    expect((await publishTo(store, await make("1.10.0"))).latest).toBe("1.10.0");
    expect((await publishTo(store, await make("1.9.0"))).latest).toBe("1.10.0");
    expect((await publishTo(store, await make("2.0.0-rc.1"))).latest).toBe("1.10.0");
    expect((await publishTo(store, await make("1.9.1"), true)).latest).toBe("1.9.1");
  });
});

describe("publishing", () => {
  test.each([
    ["1.0.0", null, true],
    ["1.0.0", "1.0.0", true],
    ["1.0.1", "1.0.0", true],
    ["1.10.0", "1.9.0", true],
    ["1.9.0", "1.10.0", false],
    ["2.0.0-rc.1", "1.0.0", false],
    ["2.0.0-rc.1", null, true],
    ["2.0.0-rc.2", "2.0.0-rc.1", true],
    ["2.0.0-rc.1", "2.0.0-rc.10", false],
    ["2.0.0", "2.0.0-rc.1", true],
    ["1.0.0", "2.0.0-rc.1", true],
  ])("moves latest to %s after %s: %p", (version, current, expected) => {
    expect(becomesLatest(version, current)).toBe(expected);
  });

  test("writes files that the service's user may read, and leaves no partial file", async () => {
    const root = join(releases.scratch, "modes");
    await publish(await checkRelease(first, null), diskStore(root), { forceLatest: false, report: () => undefined });
    const files = await readdir(join(root, "agent/1.0.0"));
    expect(files.filter((file) => file.startsWith("."))).toEqual([]);
    for (const file of files) expect((await stat(join(root, "agent/1.0.0", file))).mode & 0o777).toBe(0o644);
  });

  test("to a bucket hides the key from wrangler, and uses the remote bucket", async () => {
    const root = join(releases.scratch, "calls-root");
    process.env["BELLHOP_RELEASE_KEY"] = signer.pem;
    try {
      await r2Store("b", await standInForWrangler(root)).writeText("agent/latest.json", "{}");
    } finally {
      delete process.env["BELLHOP_RELEASE_KEY"];
    }
    expect(await readFile(join(root, "calls"), "utf8")).toBe("put b/agent/latest.json --remote no key\n");
  });

  test("to a bucket that cannot be read publishes nothing, and prints wrangler's error", async () => {
    const root = join(releases.scratch, "failing-root");
    await mkdir(root);
    const store = r2Store("b", ["/usr/bin/env", "WRANGLER_FAILS=get", ...(await standInForWrangler(root))]);
    const attempt = publish(await checkRelease(first, null), store, { forceLatest: false, report: () => undefined });
    await expect(attempt).rejects.toThrow("Authentication error");
    expect(await readdir(root)).toEqual(["calls"]);
  });
});

describe("npm run publish:agent", () => {
  const script = async (...args: string[]) => {
    const child = Bun.spawn([process.execPath, "scripts/publish-agent.ts", ...args], {
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  };

  test("publishes to a directory, and prints the version of latest", async () => {
    const root = join(releases.scratch, "by-script");
    const { code, stdout, stderr } = await script("--to", "disk", root, "--from", first);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toEndWith("Release 1.0.0 is published.\nlatest leads to 1.0.0.\n");
    expect(await readFile(join(root, "agent/latest.json"), "utf8")).toBe('{"version":"1.0.0"}\n');
  });

  test("warns about an unsigned release", async () => {
    const unsigned = await releases.make("1.0.0", null, { targets: ["linux-x64"] });
    const { code, stderr } = await script("--to", "disk", join(releases.scratch, "unsigned"), "--from", unsigned);
    expect([code, stderr]).toEqual([0, expect.stringContaining("is not signed")]);
  });

  test.each([[["--to", "s3", "b"]], [["--to", "disk"]], [[]], [["--to", "disk", "a", "b"]], [["--force"]]])(
    "prints its usage for %p",
    async (args) => {
      const { code, stderr } = await script(...args);
      expect([code, stderr]).toEqual([64, expect.stringContaining("--to r2 <bucket>")]);
    },
  );

  test("says how to make a missing release", async () => {
    const { code, stderr } = await script("--to", "disk", releases.scratch, "--from", releases.scratch);
    expect([code, stderr]).toEqual([1, expect.stringContaining("npm run build:agent -- --all")]);
  });
});

test.each(["{}", "{", "", '{"version": "../../etc"}'])(
  "a manifest that is %p is reported as not a manifest, in one line",
  async (text) => {
    const directory = join(releases.scratch, crypto.randomUUID());
    await mkdir(directory);
    await writeFile(join(directory, "manifest.json"), text);
    await expect(checkRelease(directory, null)).rejects.toThrow(
      /^\S+manifest\.json is not the manifest of a release\. Build the release again\.$/u,
    );
  },
);
