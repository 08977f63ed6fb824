import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "bun:test";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerInTime } from "../../../agent/programs/answer-in-time.ts";
import { programsHere } from "../../../agent/programs/here.ts";
import { programsFor, WAYS } from "../../support/programs.ts";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-files-"));
  await writeFile(join(directory, "file"), "content");
  await mkdir(join(directory, "folder"));
  Bun.spawnSync(["mkfifo", join(directory, "pipe")]);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe.each(WAYS)("a file of a job, %s", (_, way) => {
  const { programs, stop } = programsFor(way);
  afterAll(stop);
  const read = (name: string, maxBytes = 100) =>
    (programs ?? programsHere(directory)).readFile(join(directory, name), maxBytes).then(
      (bytes) => Buffer.from(bytes).toString("utf8"),
      (error: { code: string }) => error.code,
    );

  test("is read", async () => {
    expect(await read("file")).toBe("content");
  });

  test.each([
    ["that does not exist", "nothing", 100, "ENOENT"],
    ["that is a pipe without a writer", "pipe", 100, "not_a_file"],
    ["that is a directory", "folder", 100, "not_a_file"],
    ["that is too large", "file", 6, "too_large"],
  ])("%s fails: %s", async (_, name, maxBytes, code) => {
    expect(await read(name, maxBytes)).toBe(code);
  });
});

describe("a file system that does not answer", () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  test("fails a read after 10 s, and the error suggests a check", async () => {
    jest.useFakeTimers();
    const answer = answerInTime(new Promise<never>(() => undefined), "no_answer", "/mnt/away").catch(String);
    jest.advanceTimersByTime(10_000);
    expect(await answer).toBe(
      "ProgramError: /mnt/away gives no answer within 10 s: check whether its file system is mounted and answers",
    );
    expect(jest.getTimerCount()).toBe(0);
  });
});
