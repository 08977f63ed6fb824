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

/** Nothing was changed, and nothing was left behind. */
async function expectUntouched(): Promise<void> {
  expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  expect((await readdir(directory)).filter((name) => !name.endsWith("update-lock"))).toEqual(["bellhop-agent"]);
}

describe("a newer release", () => {
  test("is told by --check, installed by --yes, and taken back by --rollback", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    expect(await update(["--check"])).toMatchObject({
      code: 0,
      stdout: "version 9.9.9 of 2026-11-01 is there; this is 0.1.0: bellhop-agent update installs it\n",
    });
    await expectUntouched();

    const installed = await update(["--yes"]);
    expect(installed).toMatchObject({ code: 0, stderr: "" });
    expect(installed.stdout).toContain(`version 9.9.9 is in place; ${agent}.previous keeps 0.1.0`);
    expect(installed.stdout).toContain("no service runs this executable: restart the agent");
    expect(await versionInPlace()).toBe("bellhop-agent 9.9.9");

    // The stand-in knows no commands: the executable before does it, as a person would.
    await copyFile(`${agent}.previous`, agent);
    const back = await update(["--rollback"]);
    expect(back).toMatchObject({ code: 0 });
    expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  });

  test("goes through the proxy", async () => {
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

  test("is not installed without a word of consent", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    expect(await update([])).toMatchObject({ code: 64, stderr: expect.stringContaining("--yes installs 9.9.9") });
    await expectUntouched();
  });
});

describe("another release", () => {
  test("of this version is not installed again", async () => {
    front.publish("0.1.0", { [target]: standIn("0.1.0") });
    expect(await update(["--yes"])).toMatchObject({ code: 0, stdout: "version 0.1.0 is the newest\n" });
    await expectUntouched();
  });

  test("that is older is installed only where it is named", async () => {
    front.publish("0.0.9", { [target]: standIn("0.0.9") });
    expect((await update(["--yes"])).stdout).toBe(
      "the deployment offers 0.0.9, which is older than this 0.1.0: --version 0.0.9 would install it\n",
    );
    await expectUntouched();
    expect(await update(["--yes", "--version", "0.0.9"])).toMatchObject({ code: 0 });
    expect(await versionInPlace()).toBe("bellhop-agent 0.0.9");
  });
});

describe("nothing is changed, and it says why, where", () => {
  test.each<[string, () => void, string]>([
    ["there is no release", () => undefined, "offers no release of the agent"],
    [
      "the manifest was changed after it was signed",
      () => front.put("9.9.9", "manifest.json", Buffer.from('{"version":"9.9.9"}')),
      "signature is not of the key that this agent trusts",
    ],
    ["it is not signed", () => front.put("9.9.9", "manifest.json.sig", null), "is not signed"],
    [
      "the signature is no signature",
      () => front.put("9.9.9", "manifest.json.sig", Buffer.from("x")),
      "signature is not of the key",
    ],
    [
      "the executable has other bytes",
      () => front.put("9.9.9", target, Buffer.from(standIn("9.9.8"))),
      "its SHA-256 is not the manifest's",
    ],
    [
      "the executable is longer than it may be",
      () => front.put("9.9.9", target, Buffer.concat([standIn("9.9.9"), Buffer.alloc(1_000)])),
      "it has more than the",
    ],
    ["the executable is cut short", () => front.put("9.9.9", target, standIn("9.9.9").subarray(1)), "bytes and not"],
    ["the executable is not there", () => front.put("9.9.9", target, null), "has no file for 9.9.9"],
    [
      "another version's signed manifest is offered under this one",
      () => {
        front.publish("9.9.8", { [target]: standIn("9.9.8") }, (manifest) => ({ ...manifest, version: "9.9.9" }));
      },
      "the manifest at 9.9.8 is that of 9.9.9",
    ],
    [
      "the executable calls itself something else",
      () => front.publish("9.9.9", { [target]: standIn("6.6.6") }),
      "calls itself 6.6.6",
    ],
    [
      "the executable does not run",
      () => front.publish("9.9.9", { [target]: Buffer.from("#!/bin/false\n") }),
      "does not run on this machine",
    ],
    [
      "the release is for other machines",
      () => front.publish("9.9.9", { "windows-x64": standIn("9.9.9") }),
      "no executable for",
    ],
    [
      "the manifest is of another age",
      () => front.publish("9.9.9", { [target]: standIn("9.9.9") }, (manifest) => ({ ...manifest, executables: [] })),
      "of a form that this version does not know",
    ],
    [
      "the manifest never ends",
      () => front.put("9.9.9", "manifest.json", Buffer.alloc(2 * 1_024 * 1_024, 32)),
      "manifest.json is larger than one can be",
    ],
  ])("%s", async (name, spoil, said) => {
    if (name !== "there is no release") front.publish("9.9.9", { [target]: standIn("9.9.9") });
    spoil();
    const { code, stderr } = await update(["--yes"]);
    expect(stderr).toContain(said);
    expect(code).toBeGreaterThan(0);
    await expectUntouched();
  });

  test("there is no key to check a release with", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    const { code, stderr } = await update(["--yes"], { AGENT_RELEASE_KEY: "" });
    expect(code).toBe(78);
    expect(stderr).toContain("set AGENT_RELEASE_KEY");
    expect((await update(["--yes"], { AGENT_RELEASE_KEY: "nope" })).stderr).toContain("AGENT_RELEASE_KEY must be");
    const other = new ServiceFront();
    expect((await update(["--yes"], { AGENT_RELEASE_KEY: other.releaseKey })).stderr).toContain(
      "signature is not of the key",
    );
    await other.stop();
    await expectUntouched();
  });

  test("there is nothing to go back to", async () => {
    expect(await update(["--rollback"])).toMatchObject({ code: 69, stderr: expect.stringContaining("there is no") });
  });

  test("what it would go back to does not run", async () => {
    await writeFile(`${agent}.previous`, "#!/bin/false\n", { mode: 0o755 });
    const { code, stderr } = await update(["--rollback"]);
    expect(code).toBe(1);
    expect(stderr).toContain("does not run on this machine");
    expect(await versionInPlace()).toBe("bellhop-agent 0.1.0");
  });

  test("nobody says where the deployment is", async () => {
    const { code, stderr } = await update(["--check"], { AGENT_API_URL: "" });
    expect(code).toBe(78);
    expect(stderr).toContain("AGENT_API_URL is not set");
  });

  test("another update runs", async () => {
    front.publish("9.9.9", { [target]: standIn("9.9.9") });
    const { lock } = executablePaths(agent);
    const held = acquireLock(lock, lock);
    expect(await update(["--yes"])).toMatchObject({ code: 75, stderr: expect.stringContaining("another update of") });
    held.release();
    await expectUntouched();
  });

  test("it is killed in the middle of the download, and the next try goes through", async () => {
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
