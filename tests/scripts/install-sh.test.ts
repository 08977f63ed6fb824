import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bellhop } from "../support/bellhop.ts";
import {
  SHELLS,
  expectInstalled,
  expectNothingInstalled,
  machine,
  removeMachines,
  runInstaller,
  scriptOf,
} from "../support/install-machine.ts";
import { startSignedService } from "../support/signed-service.ts";
import { testKey } from "../support/test-release.ts";
import type { TestReleases } from "../support/test-release.ts";

const signer = testKey();
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

for (const { shell, command, missing } of SHELLS) {
  describe.skipIf(missing !== "")(`install.sh in ${shell}${missing}`, () => {
    test("installs the newest release, and prints the checks and the next steps", async () => {
      const here = await machine();
      const { code, stdout, stderr } = await runInstaller(command, await scriptOf(service.url), here);
      expect([code, stderr]).toEqual([0, ""]);
      await expectInstalled(here, "1.1.0");
      expect(stdout).toContain("its SHA-256 sum and signature are correct");
      for (const text of [
        `AGENT_API_URL=${service.url}`,
        "AGENT_API_KEY=",
        "bellhop-agent doctor",
        "bellhop-agent service install",
        "is not on PATH",
      ]) {
        expect(stdout).toContain(text);
      }
    });

    test("gives an enrolment code to the agent by its environment, not by an argument, and shows no other steps", async () => {
      const code = `bhe_${"c".repeat(43)}`;
      for (const [id, expected] of [
        ["1000", "enrol"],
        ["0", existsSync("/run/systemd/system") ? "service install" : "enrol"],
      ] as const) {
        const here = await machine({ programs: { id: `echo ${id}` } });
        const env = { BELLHOP_ENROLMENT_CODE: code };
        const { code: exitCode, stdout } = await runInstaller(command, await scriptOf(service.url), here, { env });
        expect(exitCode).toBe(0);
        expect(await readFile(join(here.home, "agent-calls"), "utf8")).toBe(
          `${expected} --url ${service.url} ${code}\n`,
        );
        expect(stdout).not.toContain("Create an agent");
        expect(stdout).not.toContain(code);
      }
    });

    test("takes directory and version from options or from the environment", async () => {
      const script = await scriptOf(service.url);
      const [byOptions, byEnvironment, atHome] = [
        await machine(),
        await machine(),
        await machine({ programs: { id: "echo 1000" } }),
      ];
      const args = ["--version", "1.0.0", "--dir", byOptions.directory];
      expect((await runInstaller(command, script, byOptions, { args })).code).toBe(0);
      await expectInstalled(byOptions, "1.0.0");
      const env = { BELLHOP_VERSION: "1.0.0", BELLHOP_INSTALL_DIR: byEnvironment.directory };
      expect((await runInstaller(command, script, byEnvironment, { args: [], env })).code).toBe(0);
      await expectInstalled(byEnvironment, "1.0.0");
      expect((await runInstaller(command, script, atHome, { args: [] })).code).toBe(0);
      await expectInstalled({ ...atHome, directory: join(atHome.home, ".local/bin") }, "1.1.0");
    });

    test("replaces an existing file or link, and leaves other files", async () => {
      const here = await machine();
      await mkdir(here.directory, { recursive: true });
      await writeFile(join(here.directory, "other"), "other");
      await writeFile(join(here.home, "old"), "old");
      await symlink(join(here.home, "old"), join(here.directory, "bellhop-agent"));
      const { code, stdout } = await runInstaller(command, await scriptOf(service.url), here);
      expect(code).toBe(0);
      expect(stdout).toContain("systemctl restart bellhop-agent");
      expect(stdout).not.toContain("Create an agent");
      expect((await readdir(here.directory)).sort()).toEqual(["bellhop-agent", "other"]);
      expect(await readFile(join(here.home, "old"), "utf8")).toBe("old");
    });

    test.each<{ lacking: string; without: string[]; programs: Record<string, string> }>([
      { lacking: "curl", without: ["curl"], programs: {} },
      { lacking: "gzip", without: ["gzip"], programs: {} },
      { lacking: "curl and gzip", without: ["curl", "gzip"], programs: {} },
      { lacking: "sha256sum and shasum", without: ["sha256sum"], programs: {} },
      { lacking: "GNU's wget", without: ["curl"], programs: { wget: 'exec /usr/bin/busybox wget "$@"' } },
    ])("works without $lacking", async ({ without, programs }) => {
      if ("wget" in programs && !existsSync("/usr/bin/busybox")) return;
      const here = await machine({ without, programs });
      expect(await runInstaller(command, await scriptOf(service.url), here)).toMatchObject({ code: 0, stderr: "" });
      await expectInstalled(here, "1.1.0");
    });

    test("downloads the smaller zstd copy if the machine has zstd", async () => {
      const unpack = "process.stdout.write(Bun.zstdDecompressSync(await Bun.stdin.bytes()))";
      const here = await machine({
        without: ["gzip"],
        programs: { zstd: `echo "$1" >>"$HOME/zstd-calls"; exec '${process.execPath}' -e '${unpack}'` },
      });
      expect(await runInstaller(command, await scriptOf(service.url), here)).toMatchObject({ code: 0 });
      await expectInstalled(here, "1.1.0");
      expect(await readFile(join(here.home, "zstd-calls"), "utf8")).toBe("-t\n-dc\n");
    });

    test.each([{ programs: ["zstd"] }, { programs: ["zstd", "gzip"] }])(
      "downloads another copy if $programs cannot unpack the download",
      async ({ programs }) => {
        const here = await machine({
          programs: Object.fromEntries(programs.map((name) => [name, `cat >"$HOME/${name}-input"; exit 1`])),
        });
        expect(await runInstaller(command, await scriptOf(service.url), here)).toMatchObject({ code: 0, stderr: "" });
        await expectInstalled(here, "1.1.0");
        for (const name of programs) expect(existsSync(join(here.home, `${name}-input`))).toBe(true);
      },
    );

    test("takes musl's executable if the C library is musl", async () => {
      const here = await machine({ programs: { ldd: "echo 'musl libc (x86_64)' >&2; exit 1" } });
      expect((await runInstaller(command, await scriptOf(service.url), here)).code).toBe(0);
      await expectInstalled(here, "1.1.0", "linux-x64-musl");
    });

    test.each([
      ["macOS", { uname: "echo Darwin" }, "there is no agent for Darwin"],
      ["Windows", { uname: "echo MINGW64_NT-10.0" }, "install.ps1 | iex"],
      ["another processor", { uname: '[ "$1" = -m ] && echo riscv64 || echo Linux' }, "the processor riscv64"],
      ["32 bits", { getconf: "echo 32" }, "32-bit"],
      [
        "musl on ARM",
        { uname: '[ "$1" = -m ] && echo aarch64 || echo Linux', ldd: "echo musl libc" },
        "no agent for aarch64 with musl",
      ],
    ])("refuses %s and says what to do", async (_, programs, expected) => {
      const here = await machine({ programs });
      const { code, stderr } = await runInstaller(command, await scriptOf(service.url), here);
      expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
      await expectNothingInstalled(here);
    });

    test("refuses a missing release, bad arguments or missing programs, and installs nothing", async () => {
      const script = await scriptOf(service.url);
      const cases: [{ args?: string[]; env?: Record<string, string>; without?: string[] }, string][] = [
        [{ args: ["--version", "9.9.9"] }, "there is no release 9.9.9"],
        [{ args: ["--version", "1;id"] }, "the version is not valid"],
        [{ args: ["--version"] }, "--version needs a value"],
        [{ env: { BELLHOP_RELEASE_PUBLIC_KEY: "no key" } }, "is not a key"],
        [{ env: { BELLHOP_ENROLMENT_CODE: `bh${"k".repeat(10)}_${"k".repeat(43)}` } }, "is not an enrolment code"],
        [{ args: [`bhe_${"c".repeat(43)}`] }, "belong in AGENT_API_KEY and BELLHOP_ENROLMENT_CODE"],
        [{ without: ["curl", "wget"] }, "neither curl nor wget"],
        [{ without: ["sha256sum", "openssl"] }, "computes SHA-256"],
      ];
      for (const [{ without, ...options }, expected] of cases) {
        const here = await machine(without === undefined ? {} : { without });
        const { code, stderr } = await runInstaller(command, script, here, {
          args: options.args ?? [],
          env: { BELLHOP_INSTALL_DIR: here.directory, ...options.env },
        });
        expect([code, stderr]).toEqual([1, expect.stringContaining(expected)]);
        await expectNothingInstalled(here);
      }
      const here = await machine();
      await writeFile(join(here.home, "file"), "");
      const { code, stderr } = await runInstaller(command, script, here, { args: ["--dir", `${here.home}/file/bin`] });
      expect([code, stderr]).toEqual([1, expect.stringContaining("cannot be created")]);
    });

    test("does not repeat an unknown argument, which may be a key", async () => {
      const here = await machine();
      const { code, stdout, stderr } = await runInstaller(command, await scriptOf(service.url), here, {
        args: ["bhsecret_key"],
      });
      expect([code, stdout + stderr]).toEqual([1, expect.not.stringContaining("bhsecret")]);
      expect(stderr).toContain("AGENT_API_KEY");
    });

    test("runs nothing when the script is cut at any place", async () => {
      const script = await scriptOf(service.url);
      const here = await machine();
      const cuts = Array.from({ length: 60 }, (_, index) => Math.floor((script.length * index) / 60));
      const ends = [2, 3, 5, 8, 12, 20, 25].map((back) => script.length - back);
      for (const length of [...cuts, ...ends]) {
        const { stdout } = await runInstaller(command, script.slice(0, length), here);
        expect([length, stdout]).toEqual([length, ""]);
      }
      await expectNothingInstalled(here);
    });
  });
}
