import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, readdir, rm } from "node:fs/promises";
import { startBellhop } from "../support/bellhop.ts";
import type { Bellhop } from "../support/bellhop.ts";
import { expectNothingInstalled, machine, removeMachines, runInstaller, scriptOf } from "../support/install-machine.ts";
import { startSignedService } from "../support/signed-service.ts";
import { TestReleases, testKey } from "../support/test-release.ts";
import { installerFacts } from "../../worker/services/downloads/installer-facts.ts";

const signer = testKey();
const nothing = { publishHint: "", sizeOf: () => Promise.resolve(null), read: () => Promise.resolve(null) };
let releases: TestReleases;
let service: Bellhop;
beforeAll(async () => {
  ({ releases, service } = await startSignedService(signer));
});
afterAll(async () => {
  await service.stop();
  await releases.remove();
  await removeMachines();
});

describe("install.sh", () => {
  test("does not install an executable that does not start, and says what may be missing", async () => {
    const broken = await TestReleases.start();
    await broken.publish("1.0.0", null, { code: 127 });
    const itsService = await startBellhop({ downloadsDirectory: broken.directory });
    try {
      const here = await machine({ programs: { ldd: "echo musl libc" } });
      const { code, stderr } = await runInstaller(["/bin/sh"], await scriptOf(itsService.url), here);
      expect([code, stderr]).toEqual([1, expect.stringContaining("apk add libstdc++ libgcc")]);
      await expectNothingInstalled(here);
    } finally {
      await itsService.stop();
      await broken.remove();
    }
  });

  // workerd refuses some of these names, but another server in front of it may let them through.
  test.each(["http://a'b", "http://$(id)", "http://a;id", "http://a`id`", "http://x$HOME", "http://a_b", "http://a&b"])(
    "is not served for a request to the name %s",
    async (origin) => {
      const facts = installerFacts(nothing, { publicOrigin: null, releasePublicKey: null }, `${origin}/install.sh`);
      await expect(facts).rejects.toThrow("is not a name that an install script can use");
    },
  );

  test("has the address of the request, or the configured one", async () => {
    const response = await fetch(`${service.url}/install.sh`, { headers: { Host: "bellhop.example.com" } });
    expect(await response.text()).toContain("  origin='http://bellhop.example.com'\n");
    const configured = await startBellhop({
      downloadsDirectory: releases.directory,
      bindings: { PUBLIC_URL: "https://ops.example.com:8443/" },
    });
    try {
      expect(await scriptOf(configured.url)).toContain("  origin='https://ops.example.com:8443'\n");
    } finally {
      await configured.stop();
    }
  });

  test("is plain ASCII text that is not cached", async () => {
    const response = await fetch(`${service.url}/install.sh`);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(await response.text()).toMatch(/^[\n\x20-\x7e]*$/u);
  });

  test("reports a directory that it may not write", async () => {
    if (process.getuid?.() === 0) return;
    const here = await machine();
    await chmod(here.home, 0o500);
    const { code, stderr } = await runInstaller(["/bin/sh"], await scriptOf(service.url), here);
    await chmod(here.home, 0o700);
    expect([code, stderr]).toEqual([1, expect.stringContaining("cannot be created")]);
  });

  test("leaves no file when it is interrupted", async () => {
    let arrived: () => void = () => undefined;
    const requested = new Promise<void>((resolve) => (arrived = resolve));
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        const { pathname } = new URL(request.url);
        if (!pathname.endsWith("/linux-x64"))
          return fetch(service.url + pathname, { headers: { Host: request.headers.get("Host") ?? "" } });
        arrived();
        return new Promise<Response>(() => undefined);
      },
    });
    const here = await machine();
    const script = await scriptOf(server.url.origin);
    const child = Bun.spawn(["/bin/sh", "-s", "--", "--dir", here.directory], {
      env: { PATH: here.path, HOME: here.home },
      stdin: new Blob([script]),
      stdout: "ignore",
      stderr: "ignore",
      detached: true,
    });
    await requested;
    expect(await readdir(here.directory)).toHaveLength(1);
    // Like a terminal, signals every started process.
    process.kill(-child.pid, "SIGINT");
    expect(await child.exited).not.toBe(0);
    await expectNothingInstalled(here);
    await server.stop(true);
    await rm(here.home, { recursive: true });
  });
});
