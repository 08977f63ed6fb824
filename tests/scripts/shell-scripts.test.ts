import { Glob } from "bun";
import { describe, expect, test } from "bun:test";
import { shellInstaller } from "../../worker/http/install/index.ts";
import { debianPeer } from "../support/debian-peer.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const missing = debianPeer("/usr/bin/shellcheck", "shellcheck");
const scripts = [...new Glob("{scripts,worker,tests}/**/*.sh").scanSync(ROOT), ".ci/run"];
const findings = (script: string) =>
  Bun.spawnSync(["shellcheck", "--format=gcc", "-"], { stdin: Buffer.from(script) }).stdout.toString();

describe.skipIf(missing !== null)(`shellcheck${missing === null ? "" : `: ${missing}`}`, () => {
  test.each(scripts)("finds nothing in %s", async (path) => {
    expect(findings(await Bun.file(`${ROOT}${path}`).text())).toBe("");
  });

  test("finds nothing in install.sh from a deployment", () => {
    const sums = [{ target: "linux-x64" as const, sha256: "a".repeat(64) }];
    const script = shellInstaller({ origin: "https://bellhop.example.com", version: "1.2.3", sums, publicKey: "" });
    expect(script).not.toMatch(/@[A-Z]+@/u);
    expect(findings(script)).toBe("");
  });

  test("finds an unquoted variable", () => {
    expect(findings("#!/bin/sh\nrm $1\n")).toContain("SC2086");
  });
});
