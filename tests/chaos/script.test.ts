import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseRuns, readRuns, script, tokenIn } from "../../chaos/script.ts";

describe("the journal of scripts", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-script-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("has the start and the end of each run, and each output names its run, even with many writers", async () => {
    const journal = join(directory, "ran.tsv");
    const text = (key: string) => script({ journal, nodeId: "node", key, seconds: "0.01", iteration: "", last: "" });
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);
    const outputs = await Promise.all(
      keys.map((key) => {
        const env = { PATH: process.env["PATH"] ?? "", BELLHOP_JOB_PROCESSES: `journal/job_${key}/1` };
        return new Response(Bun.spawn(["bash", "-c", text(key)], { stdout: "pipe", env }).stdout).text();
      }),
    );
    const runs = await readRuns(journal);
    expect(runs.map(({ key }) => key).sort()).toEqual(keys.toSorted());
    expect(runs.every(({ key, jobId }) => jobId === `job_${key}`)).toBe(true);
    expect(runs.every(({ beganAt, endedAt }) => endedAt !== null && endedAt > beganAt)).toBe(true);
    expect(new Set(outputs.map(tokenIn))).toEqual(new Set(runs.map(({ token }) => token)));
  });

  test("has no end for a run that was killed", () => {
    const line = ["begin", "node", "1-2", "1700000000.5", "", "key", "job_1"].join("\t");
    expect(parseRuns(`${line}\n`)).toEqual([
      {
        jobId: "job_1",
        key: "key",
        nodeId: "node",
        iteration: "",
        token: "1-2",
        beganAt: 1_700_000_000_500,
        endedAt: null,
      },
    ]);
  });

  test.each([
    ["half a line", "begin\tnode\t1-2"],
    ["a line without its job", "begin\tnode\t1-2\t1\t\tkey"],
    ["an end without a start", "end\tnode\t1-2\t1\t\tkey\tjob_1"],
    ["an unknown keyword", "began\tnode\t1-2\t1\t\tkey\tjob_1"],
  ])("is not accepted as proof with %s", (_what, line) => {
    expect(() => parseRuns(`${line}\n`)).toThrow("the journal of scripts has");
  });

  test("gives no token for an output without one", () => {
    expect(tokenIn("ran away\n")).toBeNull();
  });
});
