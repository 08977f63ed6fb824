import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openServiceLog } from "../../scripts/local/service-log.ts";

describe("the service's log of npm start", () => {
  let directory: string;
  const INFO = '{"level":"INFO","message":"an agent was created"}';
  const WARNING = '{"level":"WARNING","message":"a webhook was refused"}';

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-log-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const newState = async (name: string) => {
    const stateDirectory = join(directory, name);
    await mkdir(stateDirectory);
    return stateDirectory;
  };

  test("has every line, for its owner only, and the console has warnings and workerd's output", async () => {
    const shown: string[] = [];
    const stateDirectory = await newState("quiet");
    const log = openServiceLog({ stateDirectory, logLevel: undefined, show: (line) => shown.push(line) });
    for (const line of [INFO, WARNING, "kj/async.c++:1: fatal", "NOSENTRY an alarm came late"]) log.write(line);
    const lines = (await readFile(log.file, "utf8")).trimEnd().split("\n");
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u);
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { at, level: "INFO", message: "an agent was created" },
      { at, level: "WARNING", message: "a webhook was refused" },
      { at, level: "WARNING", message: "kj/async.c++:1: fatal" },
      { at, level: "INFO", message: "NOSENTRY an alarm came late" },
    ]);
    expect((await stat(log.file)).mode & 0o777).toBe(0o600);
    expect(shown).toEqual([WARNING, "kj/async.c++:1: fatal"]);
  });

  test("is shown completely on the console when LOG_LEVEL is set", async () => {
    const shown: string[] = [];
    const log = openServiceLog({
      stateDirectory: await newState("loud"),
      logLevel: "INFO",
      show: (line) => shown.push(line),
    });
    log.write(INFO);
    expect(shown).toEqual([INFO]);
  });

  test("continues in the same file after a start, and keeps one earlier file when it has grown", async () => {
    const stateDirectory = await newState("grown");
    const open = () => openServiceLog({ stateDirectory, logLevel: undefined, show: () => {}, maxBytes: 100 });
    const count = async (file: string) => (await readFile(file, "utf8")).trimEnd().split("\n").length;
    open().write(INFO);
    const log = open();
    log.write(INFO);
    expect(await count(log.file)).toBe(2);
    log.write(INFO);
    expect([await count(log.file), await count(`${log.file}.1`)]).toEqual([1, 2]);
    log.write(INFO);
    log.write(WARNING);
    expect([await count(log.file), await count(`${log.file}.1`)]).toEqual([1, 2]);
  });

  test("that cannot be written is reported once, and the service continues", async () => {
    const shown: string[] = [];
    const stateDirectory = join(directory, "not-there");
    const log = openServiceLog({ stateDirectory, logLevel: undefined, show: (line) => shown.push(line) });
    log.write(INFO);
    log.write(INFO);
    expect(shown).toEqual([expect.stringContaining(`the service's log cannot be written to ${log.file}`)]);
  });
});
