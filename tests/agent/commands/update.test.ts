import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock } from "../../../agent/journal/process-lock.ts";
import { executablePaths } from "../../../agent/update/swap.ts";
import { buildAgent, hostTarget } from "../../../scripts/build-agent.ts";
import { selfSigned } from "../../support/certificate.ts";
import { eventually } from "../../support/eventually.ts";
import { startHttpProxy } from "../../support/http-proxy.ts";
import { ServiceFront } from "../../support/service-front.ts";

const target = hostTarget();
let front: ServiceFront;
let directory: string;
let agent: string;
beforeEach(async () => {
  front = new ServiceFront();
  directory = await mkdtemp(join(tmpdir(), "bellhop-update-"));
  agent = join(directory, "bellhop-agent");
  await copyFile(await buildAgent(), agent);
});
afterEach(async () => {
  await front.stop();
  await rm(directory, { recursive: true, force: true });
});

const standIn = (version: string) => Buffer.from(`#!/bin/sh\necho bellhop-agent ${version}\n`);

function start(args: string[], env: Record<string, string> = {}) {
  return Bun.spawn([agent, ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "", AGENT_API_URL: front.url, AGENT_RELEASE_KEY: front.releaseKey, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

async function update(args: string[], env: Record<string, string> = {}) {
  const child = start(["update", ...args], env);
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

async function versionInPlace(): Promise<string> {
  return (await new Response(Bun.spawn([agent, "--version"], { env: {}, stdout: "pipe" }).stdout).text()).trim();
}

/** Asserts that nothing changed and no file remains. */
async function expectUntouched(): Promise<void> {
  expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  expect((await readdir(directory)).filter((name) => !name.endsWith("update-lock"))).toEqual(["bellhop-agent"]);
}

describe("update with a newer release", () => {
  test("reports it with --check, installs it with --yes, and reverts it with --rollback", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    expect(await update(["--check"])).toMatchObject({
      code: 0,
      stdout: "version 9.9.9 of 2026-11-01 is available; this is 0.1.0: bellhop-agent update installs it\n",
    });
    await expectUntouched();

    const installed = await update(["--yes"]);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain(`version 9.9.9 is in place; ${agent}.previous keeps 0.1.0`);
    expect(installed.stdout).toContain("no service runs this executable: restart the agent");
    expect(await versionInPlace()).toBe("bellhop-agent 9.9.9");

    // The stand-in has no commands, so the previous executable runs --rollback, as a person would.
    await copyFile(`${agent}.previous`, agent);
    const back = await update(["--rollback"]);
    expect(back).toMatchObject({ code: 0 });
    expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  });

  test("downloads it through the proxy", async () => {
    const tls = await selfSigned("DNS:bellhop.test.invalid");
    await writeFile(join(directory, "ca.pem"), tls.cert);
    const secure = new ServiceFront({ tls });
    secure.publish("9.9.9", { [target]: standIn("9.9.9") });
    const proxy = await startHttpProxy({ targetPort: secure.port });
    const { code, stderr } = await update(["--yes"], {
      AGENT_API_URL: "https://bellhop.test.invalid",
      AGENT_RELEASE_KEY: secure.releaseKey,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: join(directory, "ca.pem"),
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(proxy.heads[0]).toStartWith("CONNECT bellhop.test.invalid:443");
    expect(await versionInPlace()).toBe("bellhop-agent 9.9.9");
    await proxy.close();
    await secure.stop();
  });

  test("does not install it without consent", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    expect(await update([])).toMatchObject({ code: 64, stderr: expect.stringContaining("--yes installs 9.9.9") });
    await expectUntouched();
  });
});

describe("update with another release", () => {
  test("does not install the same version again", async () => {
    front.publish("0.1.0", { [target]: standIn("0.1.0") });
    expect(await update(["--yes"])).toMatchObject({ code: 0, stdout: "version 0.1.0 is the newest\n" });
    await expectUntouched();
  });

  test("installs an older version only when it is named", async () => {
    front.publish("0.0.9", { [target]: standIn("0.0.9") });
    expect((await update(["--yes"])).stdout).toBe(
      "the deployment offers 0.0.9, which is older than this 0.1.0: --version 0.0.9 would install it\n",
    );
    await expectUntouched();
    expect(await update(["--yes", "--version", "0.0.9"])).toMatchObject({ code: 0 });
    expect(await versionInPlace()).toBe("bellhop-agent 0.0.9");
  });
});

describe("update changes nothing and says why", () => {
  test.each<[string, () => void, string]>([
    ["without a release", () => undefined, "offers no release of the agent"],
    [
      "with a manifest that was changed after it was signed",
      () => front.put("9.9.9", "manifest.json", Buffer.from('{"version":"9.9.9"}')),
      "is not signed with the key that this agent trusts",
    ],
    ["with an unsigned manifest", () => front.put("9.9.9", "manifest.json.sig", null), "is not signed"],
    [
      "with an invalid signature",
      () => front.put("9.9.9", "manifest.json.sig", Buffer.from("x")),
      "is not signed with the key",
    ],
    [
      "with an executable of other bytes",
      () => front.put("9.9.9", target, Buffer.from(standIn("9.9.8"))),
      "its SHA-256 is not the manifest's",
    ],
    [
      "with an executable that is too long",
      () => front.put("9.9.9", target, Buffer.concat([standIn("9.9.9"), Buffer.alloc(1_000)])),
      "it has more than the",
    ],
    [
      "with an executable that is cut short",
      () => front.put("9.9.9", target, standIn("9.9.9").subarray(1)),
      "bytes and not",
    ],
    ["with a missing executable", () => front.put("9.9.9", target, null), "has no file for 9.9.9"],
    [
      "with another version's signed manifest",
      () => {
        front.publish("9.9.8", { [target]: standIn("9.9.8") }, (manifest) => ({ ...manifest, version: "9.9.9" }));
      },
      "the manifest of 9.9.8 is for version 9.9.9",
    ],
    [
      "with an executable that reports another version",
      () => front.publish("9.9.9", { [target]: standIn("6.6.6") }),
      "calls itself 6.6.6",
    ],
    [
      "with an executable that does not run",
      () => front.publish("9.9.9", { [target]: Buffer.from("#!/bin/false\n") }),
      "does not run on this machine",
    ],
    [
      "with a release for other machines",
      () => front.publish("9.9.9", { "windows-x64": standIn("9.9.9") }),
      "no executable for",
    ],
    [
      "with a manifest of an unknown format",
      () => front.publish("9.9.9", { [target]: standIn("9.9.9") }, (manifest) => ({ ...manifest, executables: [] })),
      "has a form that this version does not know",
    ],
    [
      "with an endless manifest",
      () => front.put("9.9.9", "manifest.json", Buffer.alloc(2 * 1_024 * 1_024, 32)),
      "manifest.json of the release is too large",
    ],
  ])("%s", async (name, spoil, said) => {
    if (name !== "without a release") front.publish("9.9.9", { [target]: standIn("9.9.9") });
    spoil();
    const { code, stderr } = await update(["--yes"]);
    expect(stderr).toContain(said);
    expect(code).toBeGreaterThan(0);
    await expectUntouched();
  });

  test("without a key to check a release", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    const { code, stderr } = await update(["--yes"], { AGENT_RELEASE_KEY: "" });
    expect(code).toBe(78);
    expect(stderr).toContain("set AGENT_RELEASE_KEY");
    expect((await update(["--yes"], { AGENT_RELEASE_KEY: "nope" })).stderr).toContain("AGENT_RELEASE_KEY must be");
    const other = new ServiceFront();
    expect((await update(["--yes"], { AGENT_RELEASE_KEY: other.releaseKey })).stderr).toContain(
      "is not signed with the key",
    );
    await other.stop();
    await expectUntouched();
  });

  test("without a previous version to restore", async () => {
    expect(await update(["--rollback"])).toMatchObject({ code: 69, stderr: expect.stringContaining("there is no") });
  });

  test("when the previous version does not run", async () => {
    await writeFile(`${agent}.previous`, "#!/bin/false\n", { mode: 0o755 });
    const { code, stderr } = await update(["--rollback"]);
    expect(code).toBe(1);
    expect(stderr).toContain("does not run on this machine");
    expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  });

  test("without the address of the deployment", async () => {
    const { code, stderr } = await update(["--check"], { AGENT_API_URL: "" });
    expect(code).toBe(78);
    expect(stderr).toContain("AGENT_API_URL is not set");
  });

  test("while another update runs", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    const { lock } = executablePaths(agent);
    const held = acquireLock(lock, lock);
    expect(await update(["--yes"])).toMatchObject({ code: 75, stderr: expect.stringContaining("another update of") });
    held.release();
    await expectUntouched();
  });

  test("when killed during the download, and the next attempt succeeds", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    const { promise: never, resolve: letGo } = Promise.withResolvers<Response>();
    let isAsked = false;
    front.instead = (_request, path) => {
      if (!path.endsWith(`/${target}`)) return null;
      isAsked = true;
      return never;
    };
    const child = start(["update", "--yes"]);
    await eventually("the download", () => isAsked);
    child.kill("SIGKILL");
    await child.exited;
    letGo(new Response());
    expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
    front.instead = () => null;
    expect(await update(["--yes"])).toMatchObject({ code: 0 });
    expect(await versionInPlace()).toBe("bellhop-agent 9.9.9");
  });
});
