import { describe, expect, test } from "bun:test";
import { releaseManifestSchema, releaseVersionSchema, verifyReleaseSignature } from "../../schema/contract/release.ts";
import { testKey } from "../support/test-release.ts";

const bytes = new TextEncoder().encode('{"version":"1.0.0"}\n');
const { key } = testKey();
const signature = key.sign(bytes);

describe("a release's signature", () => {
  test("is valid for the signed bytes, with or without a final newline", async () => {
    expect(await verifyReleaseSignature(bytes, signature, key.publicKey)).toBe(true);
    expect(await verifyReleaseSignature(bytes, `${signature}\n`, `${key.publicKey}\n`)).toBe(true);
  });

  test("is invalid for other bytes, under another key, and with one changed bit", async () => {
    const other = bytes.slice();
    other[0] = 0x20;
    expect(await verifyReleaseSignature(other, signature, key.publicKey)).toBe(false);
    expect(await verifyReleaseSignature(bytes, signature, testKey().key.publicKey)).toBe(false);
    const flipped = Buffer.from(signature, "base64");
    flipped.writeUInt8(flipped.readUInt8(0) ^ 1, 0);
    expect(await verifyReleaseSignature(bytes, flipped.toString("base64"), key.publicKey)).toBe(false);
  });

  test.each([
    ["", key.publicKey],
    ["no base64!", key.publicKey],
    [Buffer.alloc(63).toString("base64"), key.publicKey],
    [signature, ""],
    [signature, Buffer.alloc(31).toString("base64")],
    [signature, "🔑"],
    [signature.replaceAll("=", ""), key.publicKey],
  ])("is invalid without an exception when it is malformed: %p with the key %p", async (said, publicKey) => {
    expect(await verifyReleaseSignature(bytes, said, publicKey)).toBe(false);
  });
});

describe("a release's manifest", () => {
  const sum = "a".repeat(64);
  const manifest = {
    version: "1.2.3",
    createdAt: "2026-03-01T12:00:00.000Z",
    protocol: 1,
    executables: [{ target: "linux-x64", file: "bellhop-agent-linux-x64", bytes: 10, sha256: sum }],
    sbom: { file: "sbom.cdx.json", bytes: 10, sha256: sum },
  };

  test("may have fields and targets that its reader does not know", () => {
    const newer = {
      ...manifest,
      channel: "stable",
      executables: [...manifest.executables, { ...manifest.executables[0], target: "plan9-x64", strip: true }],
    };
    expect(releaseManifestSchema.parse(newer).executables.map(({ target }) => target)).toEqual([
      "linux-x64",
      "plan9-x64",
    ]);
  });

  test.each([
    ["../../etc/passwd", sum],
    [".hidden", sum],
    ["a/b", sum],
    ["", sum],
    ["bellhop-agent", "A".repeat(64)],
    ["bellhop-agent", sum.slice(1)],
  ])("cannot have the file %p with the sum %p", (file, sha256) => {
    expect(
      releaseManifestSchema.safeParse({ ...manifest, executables: [{ target: "x", file, bytes: 1, sha256 }] }).success,
    ).toBe(false);
  });

  test.each(["1.0.0", "0.1.0", "10.20.30", "1.0.0-rc.1", "1.0.0-alpha-2.x"])("may have the version %s", (version) => {
    expect(releaseVersionSchema.safeParse(version).success).toBe(true);
  });
  test.each(["", "1", "1.0", "v1.0.0", "01.0.0", "1.0.0+build", "1.0.0-", "1.0.0-01", "..", "1.0.0/..", "latest"])(
    "cannot have the version %p",
    (version) => {
      expect(releaseVersionSchema.safeParse(version).success).toBe(false);
    },
  );
});
