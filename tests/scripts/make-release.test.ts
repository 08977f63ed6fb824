import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash, generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RELEASE_TARGETS, releaseManifestSchema } from "../../schema/contract/release.ts";
import { checkRelease } from "../../scripts/release/check-release.ts";
import { agentSbom } from "../../scripts/release/sbom.ts";
import { readSigningKey } from "../../scripts/release/signing-key.ts";
import { RELEASED_AT, TestReleases, standIn, testKey } from "../support/test-release.ts";

const signer = testKey();
let releases: TestReleases;
let directory: string;
beforeAll(async () => {
  releases = await TestReleases.start();
  directory = await releases.make("2.3.4", signer.key);
});
afterAll(() => releases.remove());

async function run(...command: string[]): Promise<{ code: number; output: string }> {
  const child = Bun.spawn(command, { cwd: directory, stdout: "pipe", stderr: "pipe" });
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, output: out + error };
}

describe("a release", () => {
  test("has an executable for every target, each packed twice, with manifest, sums and SBOM", async () => {
    const packed = (file: string) => [file, `${file}.gz`, `${file}.zst`];
    const executables = RELEASE_TARGETS.map((target) =>
      target === "windows-x64" ? `bellhop-agent-${target}.exe` : `bellhop-agent-${target}`,
    );
    const expected = [
      ...executables.flatMap(packed),
      ...packed("sbom.cdx.json"),
      "SHA256SUMS",
      "manifest.json",
      "manifest.json.sig",
    ];
    expect((await readdir(directory)).sort()).toEqual(expected.sort());
  });

  test("has a manifest with version, time, protocol, sizes and sums", async () => {
    const manifest = releaseManifestSchema.parse(JSON.parse(await readFile(join(directory, "manifest.json"), "utf8")));
    expect([manifest.version, manifest.createdAt, manifest.protocol]).toEqual(["2.3.4", RELEASED_AT.toISOString(), 1]);
    expect(manifest.executables.map(({ target }) => target)).toEqual([...RELEASE_TARGETS]);
    for (const { target, bytes, sha256 } of manifest.executables) {
      const text = Buffer.from(standIn("2.3.4", z.enum(RELEASE_TARGETS).parse(target)));
      expect([bytes, sha256]).toEqual([text.length, createHash("sha256").update(text).digest("hex")]);
    }
  });

  test("has the same bytes when it is made again from the same parts", async () => {
    const again = await releases.make("2.3.4", signer.key);
    for (const file of await readdir(directory)) {
      const [one, other] = [await readFile(join(directory, file)), await readFile(join(again, file))];
      expect([file, one.equals(other)]).toEqual([file, true]);
    }
  });

  test("can be checked by sha256sum and openssl with its own files", async () => {
    expect(await run("sha256sum", "--check", "--strict", "SHA256SUMS")).toMatchObject({ code: 0 });
    const pem = `-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA${signer.key.publicKey}\n-----END PUBLIC KEY-----\n`;
    const [keyFile, signature] = [join(releases.scratch, "key.pem"), join(releases.scratch, "signature")];
    await writeFile(keyFile, pem);
    expect(await run("openssl", "base64", "-d", "-A", "-in", "manifest.json.sig", "-out", signature)).toMatchObject({
      code: 0,
    });
    const verify = (file: string) =>
      run("openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", keyFile, "-sigfile", signature, "-in", file);
    expect(await verify("manifest.json")).toEqual({ code: 0, output: "Signature Verified Successfully\n" });
    expect((await verify("SHA256SUMS")).code).not.toBe(0);
  });

  test("that is made without a key has the same files except the signature", async () => {
    const unsigned = await releases.make("2.3.4", null);
    const files = await readdir(directory);
    expect((await readdir(unsigned)).sort()).toEqual(files.filter((file) => file !== "manifest.json.sig").sort());
  });

  test("is refused by the check when a file, the manifest or the key differs", async () => {
    const fresh = () => releases.make("2.3.4", signer.key);
    const { manifest, signed, files } = await checkRelease(directory, signer.key.publicKey);
    expect([manifest.version, signed, files.at(-1)]).toEqual(["2.3.4", true, "manifest.json"]);
    const changed = await fresh();
    await writeFile(join(changed, "bellhop-agent-linux-arm64"), "other");
    await expect(checkRelease(changed, null)).rejects.toThrow("bellhop-agent-linux-arm64 differs from the manifest");
    await expect(checkRelease(directory, testKey().key.publicKey)).rejects.toThrow("The manifest is not signed with");
    await expect(checkRelease(releases.scratch, null)).rejects.toThrow("npm run build:agent -- --all");
    const withExtraFile = await fresh();
    await writeFile(join(withExtraFile, "notes.txt"), "not a part of it");
    expect((await checkRelease(withExtraFile, null)).files).not.toContain("notes.txt");
    await rm(withExtraFile, { recursive: true });
  });
});

describe("the key of releases", () => {
  const der = Buffer.from(signer.pem.replaceAll(/-----[A-Z ]+-----|\n/gu, ""), "base64").toString("base64");

  test.each([
    ["PEM", signer.pem],
    ["PEM on one line", signer.pem.replaceAll("\n", "\\n")],
    ["the base64 of its DER", der],
    ["PEM between spaces", `\n ${signer.pem} `],
  ])("may be %s", (_, text) => {
    expect(readSigningKey({ BELLHOP_RELEASE_KEY: text })?.publicKey).toBe(signer.key.publicKey);
  });

  test("counts as missing when it is empty", () => {
    expect([readSigningKey({}), readSigningKey({ BELLHOP_RELEASE_KEY: " " })]).toEqual([null, null]);
  });

  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  test.each([
    ["a word", "hunter2-hunter2"],
    ["an RSA key", rsa.export({ format: "pem", type: "pkcs8" }).toString()],
    ["half a key", signer.pem.slice(0, 90)],
    ["half of its DER", der.slice(0, 24)],
  ])("is refused when it is %s, with what to do and without any part of it", (_, text) => {
    const refusal = (() => {
      try {
        return readSigningKey({ BELLHOP_RELEASE_KEY: text });
      } catch (error) {
        return error instanceof Error ? `${error.message} ${String(error.cause ?? "")}` : error;
      }
    })();
    expect(refusal).toContain("openssl genpkey -algorithm ed25519");
    const body = text.replaceAll(/-----[A-Z ]+-----|\s/gu, "");
    expect(refusal).not.toContain(body.slice(0, 12));
  });
});

describe("the SBOM", () => {
  const partSchema = z.object({
    "bom-ref": z.string(),
    group: z.string().optional(),
    name: z.string(),
    version: z.string(),
    purl: z.string(),
    licenses: z.array(z.unknown()),
    hashes: z.array(z.object({ alg: z.literal("SHA-512"), content: z.string().regex(/^[0-9a-f]{128}$/u) })).min(1),
  });
  const sbomSchema = z.object({
    bomFormat: z.literal("CycloneDX"),
    specVersion: z.literal("1.6"),
    metadata: z.object({ timestamp: z.iso.datetime(), component: z.object({ name: z.string(), version: z.string() }) }),
    components: z.array(partSchema),
    dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
  });

  test("lists exactly the bundled packages, with versions, licences and checksums of the lock file", async () => {
    const sbom = sbomSchema.parse(JSON.parse(await agentSbom({ version: "2.3.4", createdAt: RELEASED_AT })));
    expect(sbom.metadata.component).toMatchObject({ name: "bellhop-agent", version: "2.3.4" });
    const names = sbom.components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
    expect(names).toEqual(
      expect.arrayContaining(["zod", "ssh2", "pg", "mysql2", "tedious", "nodemailer", "yaml", "bun"]),
    );
    // Packages of the Worker, packages of the tests, and the replacements of two modules.
    for (const other of ["hono", "drizzle-orm", "bcryptjs", "miniflare", "cpu-features", "@azure/identity"]) {
      expect(names).not.toContain(other);
    }
    const refs = sbom.components.map((part) => part["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    expect(sbom.dependencies[0]?.dependsOn).toEqual(refs);
    for (const { name, version, group } of sbom.components) {
      const path = `node_modules/${group === undefined ? "" : `${group}/`}${name}/package.json`;
      // A second version is nested deeper.
      if (!existsSync(path) || refs.filter((ref) => ref.includes(`/${name}@`)).length > 1) continue;
      expect([name, z.object({ version: z.string() }).parse(await Bun.file(path).json()).version]).toEqual([
        name,
        version,
      ]);
    }
  });
});
