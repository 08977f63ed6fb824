import { expect, test } from "bun:test";
import { runNpm } from "../support/npm.ts";

test("npm run with a misspelt name reports it, and says how to list the scripts", async () => {
  const { stderr, code } = await runNpm(["run", "strat"]);
  expect(code).toBe(1);
  expect(stderr).toContain('Missing script: "strat"');
  expect(stderr).toContain("npm run");
});

test("npm run -s leaves standard output to the script", async () => {
  const { stdout, stderr, code } = await runNpm(["run", "-s", "bench", "--", "webhok", "--json"]);
  expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
  expect(stderr).toStartWith("usage: npm run bench");
});

test("npm adds no output after a script that fails", async () => {
  const { stdout, stderr, code } = await runNpm(["run", "bench", "--", "webhok"]);
  expect(code).toBe(1);
  expect(stdout.trim().split("\n")).toEqual([
    expect.stringMatching(/^> bellhop@\S+ bench$/u),
    "> node scripts/bootstrap.mjs ../bench/main.ts webhok",
  ]);
  expect(stderr).not.toContain("npm error");
});
