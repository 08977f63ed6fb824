import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeStateDirectories, statePaths } from "../../agent/paths.ts";
import type { StateOptions, StatePaths } from "../../agent/paths.ts";
import { icaclsArguments, takeDirectory } from "../../agent/windows-access.ts";

const SID = "S-1-5-21-1004336348-1177238915-682003330-1001";
const ALL_USERS = ["*S-1-1-0", "*S-1-5-4", "*S-1-5-11", "*S-1-5-32-545", "*S-1-5-32-546"];

let directory: string;
let paths: StatePaths;
let ran: string[][];
let warnings: string[];
/** Windows' answers, by program. */
let answers: Record<string, string | Error>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "bellhop-windows-"));
  paths = statePaths(join(directory, "vault.json"));
  ran = [];
  warnings = [];
  answers = { whoami: `"machine\\agent","${SID}"\r\n`, icacls: "" };
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Creates the directories on a simulated Windows that records the programs it is asked to run. */
const makeOnWindows = (options: StateOptions = {}) =>
  makeStateDirectories(
    paths,
    {
      debug() {},
      info() {},
      warning: (message, fields) => void warnings.push(`${message} ${JSON.stringify(fields)}`),
      error() {},
    },
    {
      platform: "win32",
      run: (program, args) => {
        ran.push([program, ...args]);
        const answer = answers[program] ?? "";
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      ...options,
    },
  );
const closed = () => ran.filter(([program]) => program === "icacls").map(([, path]) => path);

test("the agent closes its directories to all but SYSTEM, Administrators and its own account", async () => {
  await makeOnWindows();
  expect(ran).toEqual([
    ["whoami", "/user", "/fo", "csv", "/nh"],
    ...[directory, paths.executorState].map((path) => [
      "icacls",
      path,
      "/inheritance:r",
      "/grant:r",
      "*S-1-5-18:(OI)(CI)F",
      "*S-1-5-32-544:(OI)(CI)F",
      `*${SID}:(OI)(CI)F`,
      "/remove:g",
      ...ALL_USERS,
    ]),
  ]);
  expect(warnings).toEqual([]);
});

test("the installer takes the directory from a user who created it first, with all grants in it", async () => {
  const commands: string[][] = [];
  await takeDirectory("C:\\data", (program, args) => {
    commands.push([program, ...args]);
    return Promise.resolve("");
  });
  expect(commands).toEqual([
    ["icacls", "C:\\data", "/setowner", "*S-1-5-32-544", "/t", "/c", "/l"],
    ["icacls", "C:\\data", "/reset", "/t", "/c", "/l"],
    ["icacls", ...icaclsArguments("C:\\data", "directory")],
  ]);
});

test("an agent that runs as SYSTEM grants nothing to another account", async () => {
  answers["whoami"] = '"nt authority\\system","S-1-5-18"\r\n';
  await makeOnWindows();
  expect(ran[1]).toEqual(["icacls", ...icaclsArguments(directory, "directory")]);
  expect(icaclsArguments("C:\\f", "file")).toEqual([
    "C:\\f",
    "/inheritance:r",
    "/grant:r",
    "*S-1-5-18:F",
    "*S-1-5-32-544:F",
    "/remove:g",
    ...ALL_USERS,
  ]);
});

describe("a directory with other files than the vault", () => {
  test("is closed if the others belong to an installation of the agent", async () => {
    for (const name of ["bellhop-agent.exe", "bellhop-agent.exe.old-1f", "agent.env", "agent.log.1", "vault.lock"]) {
      await writeFile(join(directory, name), "");
    }
    await makeOnWindows();
    expect(closed()).toEqual([directory, paths.executorState]);
    expect(warnings).toEqual([]);
  });

  test("keeps its access list if the others may be another program's, and the agent warns", async () => {
    await writeFile(join(directory, "notes.txt"), "");
    await makeOnWindows();
    expect(closed()).toEqual([paths.executorState]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("let VAULT_PATH name a file in a separate directory");
    expect(warnings[0]).toContain(directory);
  });
});

describe("a start continues with a warning that says what to do", () => {
  test.each<[string, Record<string, string | Error>]>([
    ["icacls fails", { icacls: new Error("closing it failed: icacls ended with 5") }],
    ["whoami is missing", { whoami: new Error("whoami is not on the PATH") }],
    ["whoami names no account", { whoami: "machine\\agent\r\n" }],
    ["the account's name looks like an id", { whoami: '"machine\\S-1-5-32-545"\r\n' }],
  ])("when %s", async (_what, failing) => {
    Object.assign(answers, failing);
    await makeOnWindows();
    expect(closed()).toEqual("icacls" in failing ? [directory] : []);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("leave it to SYSTEM, Administrators and the agent's account (icacls)");
  });
});

test("a command of another account does not change the agent's access", async () => {
  await makeOnWindows({ by: "command" });
  expect(ran).toEqual([]);
});
