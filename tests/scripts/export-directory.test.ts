import { afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { eventually } from "../support/eventually.ts";
import { ExportDirectory } from "../support/export-directory.ts";
import { SmallDisk, smallDiskMissing } from "../support/small-disk.ts";

const DAY = "executions/2026/03/31";
const KEY = `${DAY}/exe_0195e9c1-0000-7000-8000-000000000000.ndjson`;
const UNSAFE = "must be a directory that belongs to the user of Bellhop, and that no other user can write to.";
const LIMIT_MS = 60_000;
const isRoot = process.getuid?.() === 0;

let exports: ExportDirectory;
beforeEach(async () => {
  exports = await ExportDirectory.make();
  await exports.start();
  // It logs each refusal.
  const quiet = spyOn(console, "error").mockImplementation(() => {});
  quiet.mockClear();
});
afterEach(async () => {
  spyOn(console, "error").mockRestore();
  await exports.remove();
});

describe("a record", () => {
  test("is stored in directories and files that only their owner opens, and replaces one with its key", async () => {
    expect(await exports.put(KEY, "first\n")).toEqual({ status: 204, text: "" });
    expect(await exports.put(`manifest/${KEY.replace("ndjson", "json")}`, "{}\n")).toMatchObject({ status: 204 });
    expect(await exports.put(KEY, "second\n")).toMatchObject({ status: 204 });
    expect([...(await exports.files())]).toEqual([
      [KEY, "second\n"],
      [`manifest/${KEY.replace("ndjson", "json")}`, "{}\n"],
    ]);
    const modeOf = async (path: string) => (await stat(path)).mode & 0o777;
    expect(await modeOf(join(exports.directory, KEY))).toBe(0o600);
    for (const path of [DAY, "executions", "manifest", ".partial"]) {
      expect({ path, mode: await modeOf(join(exports.directory, path)) }).toEqual({ path, mode: 0o700 });
    }
    expect(await modeOf(exports.socket)).toBe(0o600);
  });

  test("of two writers of one key at the same time is one of both as a whole", async () => {
    const texts = ["a", "b", "c", "d"].map((letter) => letter.repeat(3_000_000));
    const answers = await Promise.all(texts.map((text) => exports.put(KEY, text)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const files = await exports.files();
    expect([...files.keys()]).toEqual([KEY]);
    expect(texts.includes(files.get(KEY) ?? "")).toBe(true);
  });

  test("that did not arrive whole is refused, and the former one stays", async () => {
    await exports.put(KEY, "whole\n");
    const headers = { "X-Content-Sha256": "0".repeat(64) };
    expect(await exports.put(KEY, "who", { headers })).toEqual({
      status: 400,
      text: "The record did not arrive whole.",
    });
    expect(await exports.put(KEY, "who", { headers: { "X-Content-Sha256": "" } })).toMatchObject({ status: 400 });
    expect([...(await exports.files()).values()]).toEqual(["whole\n"]);
  });

  test("that is too large is refused", async () => {
    await exports.stop();
    await exports.start(1_000);
    expect(await exports.put(KEY, "x".repeat(1_001))).toMatchObject({ status: 413 });
    expect(await exports.put(KEY, "x".repeat(1_000))).toMatchObject({ status: 204 });
  });
});

test.each([
  "",
  "settings.json",
  "executions/../../../etc/passwd",
  "executions/2026/03/31/../../../../x.ndjson",
  "executions/2026/03/31/..%2f..%2fx.ndjson",
  "executions/2026/03/31/%2e%2e/x.ndjson",
  `${DAY}/.ndjson`,
  `${DAY}/a/b.ndjson`,
  `${DAY}/a.json`,
  `${DAY}/a.ndjson.sh`,
  `${DAY}/a%00.ndjson`,
  `${DAY}/a.ndjson?x=1`,
  `manifest/${KEY}`,
  `manifest/manifest/${KEY}`,
  ".partial/2026/03/31/a.ndjson",
  "incidents/2026/03/31/a.ndjson",
  `${DAY}/${"a".repeat(81)}.ndjson`,
])("the key %j is refused, and nothing is written", async (key) => {
  expect(await exports.put(key, "x")).toEqual({ status: 400, text: "This is not the key of an exported record." });
  expect(await exports.files()).toEqual(new Map());
});

test.each(["GET", "DELETE", "POST", "PATCH"])("%s is refused: records are neither read nor removed", async (method) => {
  await exports.put(KEY, "x");
  expect(await exports.put(KEY, "y", { method })).toEqual({
    status: 405,
    text: "Only PUT is served here.",
  });
  expect([...(await exports.files()).values()]).toEqual(["x"]);
});

describe("a directory", () => {
  test("that is missing is not made, and the record goes on when it is there", async () => {
    await rm(exports.directory, { recursive: true });
    expect(await exports.put(KEY, "x")).toEqual({
      status: 500,
      text: "The export directory does not exist. Create it for the user of Bellhop.",
    });
    await mkdir(exports.directory, { mode: 0o700 });
    expect(await exports.put(KEY, "x")).toMatchObject({ status: 204 });
  });

  test.each(["executions", "executions/2026", DAY, ".partial"])(
    "in which %s is a symbolic link leads nowhere else",
    async (path) => {
      const elsewhere = await mkdtemp(join(tmpdir(), "bellhop-elsewhere-"));
      try {
        await mkdir(join(exports.directory, path, ".."), { recursive: true, mode: 0o700 });
        await symlink(elsewhere, join(exports.directory, path));
        expect(await exports.put(KEY, "x")).toEqual({
          status: 500,
          text: `${path} in the export directory ${UNSAFE}`,
        });
        expect((await stat(elsewhere)).nlink).toBe(2);
        expect(await exports.files()).toEqual(new Map());
      } finally {
        await rm(elsewhere, { recursive: true });
      }
    },
  );

  test("in which the record is a symbolic link gets the record in its place", async () => {
    const other = join(exports.socket, "../other");
    await writeFile(other, "kept");
    await exports.put(KEY, "x");
    await rm(join(exports.directory, KEY));
    await symlink(other, join(exports.directory, KEY));
    expect(await exports.put(KEY, "y")).toMatchObject({ status: 204 });
    expect(await readFile(other, "utf8")).toBe("kept");
    expect((await exports.files()).get(KEY)).toBe("y");
  });

  test("to which other users can write is refused", async () => {
    await chmod(exports.directory, 0o770);
    expect(await exports.put(KEY, "x")).toEqual({ status: 500, text: `The export directory ${UNSAFE}` });
    await chmod(exports.directory, 0o700);
    expect(await exports.put(KEY, "x")).toMatchObject({ status: 204 });
    await chmod(join(exports.directory, DAY), 0o702);
    expect(await exports.put(KEY, "x")).toEqual({ status: 500, text: `${DAY} in the export directory ${UNSAFE}` });
  });

  test.skipIf(!isRoot)("of another user is refused", async () => {
    await chown(exports.directory, 65_534, 65_534);
    expect(await exports.put(KEY, "x")).toEqual({ status: 500, text: `The export directory ${UNSAFE}` });
  });

  test("that is a file is refused", async () => {
    await rm(exports.directory, { recursive: true });
    await writeFile(exports.directory, "");
    expect(await exports.put(KEY, "x")).toEqual({ status: 500, text: `The export directory ${UNSAFE}` });
  });
});

describe.skipIf(smallDiskMissing !== null)(`a disk${smallDiskMissing === null ? "" : ` (${smallDiskMissing})`}`, () => {
  let disk: SmallDisk;
  let onDisk: ExportDirectory;
  beforeEach(async () => {
    disk = await SmallDisk.mount({ kib: 256 });
    onDisk = await ExportDirectory.make(disk.directory);
    await onDisk.start();
  });
  afterEach(async () => {
    await onDisk.remove();
    await disk.remove();
  });

  test("that is full takes no part of a record, and takes it when there is space", async () => {
    await onDisk.put(KEY, "former\n");
    await disk.fill();
    const text = "x".repeat(100_000);
    expect(await onDisk.put(KEY, text)).toEqual({
      status: 500,
      text: "The disk of the export directory is full. Free some space.",
    });
    expect((await onDisk.files()).get(KEY)).toBe("former\n");
    await disk.free();
    expect(await onDisk.put(KEY, text)).toMatchObject({ status: 204 });
    expect([...(await onDisk.files()).keys()]).toEqual([KEY]);
  });

  test("that is read-only is a reason, too", async () => {
    Bun.spawnSync(["mount", "-o", "remount,ro", disk.directory]);
    expect(await onDisk.put(KEY, "x")).toEqual({
      status: 500,
      text: "The export directory is read-only. For systemd, name it in ReadWritePaths= (docs/retention.md).",
    });
  });
});

describe("bellhopctl store-exports", () => {
  const run = (...args: string[]) =>
    Bun.spawn([process.execPath, join(ROOT, "scripts/service/main.ts"), "store-exports", ...args], {
      env: {},
      stdout: "pipe",
      stderr: "pipe",
    });
  const serve = async () => {
    const child = run("--directory", exports.directory, "--socket", exports.socket);
    await eventually("a record to be stored", async () => (await exports.put(KEY, "x")).status === 204);
    return child;
  };

  test(
    "stores records, starts again after a kill, and removes what the kill left unfinished",
    async () => {
      await exports.stop();
      const first = await serve();
      first.kill("SIGKILL");
      await first.exited;
      expect((await stat(exports.socket)).isSocket()).toBe(true);
      await writeFile(join(exports.directory, ".partial/unfinished"), "half");
      const second = await serve();
      expect([...(await exports.files()).keys()]).toEqual([KEY]);
      second.kill("SIGTERM");
      expect(await second.exited).toBe(0);
    },
    LIMIT_MS,
  );

  test.each([
    [["--directory", "exports", "--socket", "s"], 78, "RETENTION_EXPORT_DIRECTORY must be an absolute path"],
    [["--directory", "/", "--socket", "s"], 78, "RETENTION_EXPORT_DIRECTORY must be an absolute path"],
    [["--socket", "s"], 64, "--directory is missing"],
    [["--directory", "/exports"], 64, "--socket is missing"],
  ])("refuses %j", async (args, code, problem) => {
    const child = run(...args);
    expect(await child.exited).toBe(code);
    expect(await new Response(child.stderr).text()).toContain(problem);
  });

  test("refuses a socket whose path is a file, and leaves the file alone", async () => {
    const file = join(exports.directory, "notes.txt");
    await writeFile(file, "mine");
    const child = run("--directory", exports.directory, "--socket", file);
    expect(await child.exited).toBe(1);
    expect(await new Response(child.stderr).text()).toContain(`${file} exists, and is not a socket`);
    expect(await readFile(file, "utf8")).toBe("mine");
  });
});
