import { expect, test } from "bun:test";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { RELEASE_TARGETS } from "../../schema/contract/release.ts";
import type { ReleaseTarget } from "../../schema/contract/release.ts";
import { buildAgent } from "../../scripts/build-agent.ts";
import { FULL } from "../support/full.ts";

/** The header of an executable: the machine of ELF or PE, and the C library's loader. */
const FORMATS = {
  "linux-x64": { format: "ELF", machine: 0x3e, interpreter: "/lib64/ld-linux-x86-64.so.2" },
  "linux-arm64": { format: "ELF", machine: 0xb7, interpreter: "/lib/ld-linux-aarch64.so.1" },
  "linux-x64-musl": { format: "ELF", machine: 0x3e, interpreter: "/lib/ld-musl-x86_64.so.1" },
  "windows-x64": { format: "PE", machine: 0x8664, interpreter: null },
} as const satisfies Record<ReleaseTarget, { format: string; machine: number; interpreter: string | null }>;

async function formatOf(path: string) {
  const file = await open(path);
  try {
    const { buffer } = await file.read({ buffer: Buffer.alloc(64 * 1024), position: 0 });
    if (buffer.toString("latin1", 0, 2) === "MZ") {
      const header = buffer.readUInt32LE(0x3c);
      expect(buffer.toString("latin1", header, header + 4)).toBe("PE\0\0");
      return { format: "PE", machine: buffer.readUInt16LE(header + 4), interpreter: null };
    }
    expect(buffer.toString("latin1", 0, 4)).toBe("\x7fELF");
    const interpreter = /\/lib(?:64)?\/ld-[\w.-]+/u.exec(buffer.toString("latin1"))?.[0] ?? null;
    return { format: "ELF", machine: buffer.readUInt16LE(18), interpreter };
  } finally {
    await file.close();
  }
}

const skipped = !FULL;
const why = skipped ? " (skipped: it is slow, npm run test:full builds all)" : "";

test.each([[["linux-arm64"]], [["--target", "linux-x86"]], [["--bogus"]], [["--all", "--target", "linux-x64"]]])(
  "%p builds nothing, and the error lists the targets",
  async (args) => {
    const script = join(import.meta.dir, "../../scripts/build-agent.ts");
    const child = Bun.spawn([process.execPath, script, ...args], { stdout: "pipe", stderr: "pipe" });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toContain("--target linux-x64 | linux-arm64");
  },
);

test.skipIf(skipped).each([...RELEASE_TARGETS])(
  `the executable for %s has that machine's format${why}`,
  async (target) => {
    expect(await formatOf(await buildAgent({ target }))).toEqual(FORMATS[target]);
  },
  // The first build fetches the target's runtime.
  600_000,
);
