import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { lstatSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, readlink, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { STATE_MARKS, moveEarlierState } from "../../scripts/local/earlier-state.ts";
import { lockState } from "../../scripts/local/state-lock.ts";
import { ROOT } from "../../scripts/paths.ts";
import { STATE_FORMAT, ageOfState, writeFormat } from "../../scripts/state-format.ts";
import { eventually } from "../support/eventually.ts";

let parent: string;
let state: string;
let aside: string;

beforeEach(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), "bellhop-format-")));
  state = join(parent, ".bellhop");
  aside = `${state}-before-${STATE_FORMAT}`;
  await mkdir(state);
});
afterEach(() => rm(parent, { recursive: true, force: true }));

const number = (text: string) => writeFile(join(state, "state-format"), text);
const age = () => ageOfState(state, STATE_MARKS);

/** A state of `npm start` from before states had a number. */
async function makeEarlier(): Promise<void> {
  await mkdir(join(state, "agent"));
  await writeFile(join(state, "settings.json"), "{}");
  await writeFile(join(state, "agent/vault.json"), "sealed");
}

describe("the age of a state directory", () => {
  test("a directory that is empty or has only other files is new", async () => {
    expect(age()).toBe("new");
    await writeFile(join(state, "notes.txt"), "mine");
    expect(age()).toBe("new");
  });

  test("a directory with this version's number is current", async () => {
    await makeEarlier();
    writeFormat(state);
    expect(age()).toBe("current");
    expect(await readdir(state)).not.toContain("state-format.new");
  });

  test("state without a number, or with a lower one, is of an earlier version", async () => {
    await makeEarlier();
    expect(age()).toBe("earlier");
    await number(`${STATE_FORMAT - 1}\n`);
    expect(age()).toBe("earlier");
  });

  test("a higher number is refused, and so is a file without one", async () => {
    await number(`${STATE_FORMAT + 1}\n`);
    expect(age).toThrow(`was written by a newer version (state format ${STATE_FORMAT + 1}`);
    for (const text of ["", "two", "-1", "1e9"]) {
      await number(text);
      expect(age).toThrow(
        `does not hold the number of a format, so nothing was changed: put the number back (this version writes ${STATE_FORMAT})`,
      );
    }
  });
});

describe("the state of an earlier version", () => {
  test("is moved completely, and an empty directory replaces it", async () => {
    await makeEarlier();
    expect(moveEarlierState(state)).toBe(aside);
    expect(await readdir(state)).toEqual([]);
    expect((await stat(state)).mode & 0o777).toBe(0o700);
    expect(await readFile(join(aside, "agent/vault.json"), "utf8")).toBe("sealed");
  });

  test("is not moved to a name that a file, a directory or a broken link has", async () => {
    await writeFile(aside, "mine");
    await mkdir(`${aside}-2`);
    await symlink("nowhere", `${aside}-3`);
    await makeEarlier();
    expect(moveEarlierState(state)).toBe(`${aside}-4`);
    expect(await readFile(aside, "utf8")).toBe("mine");
    expect(await readdir(`${aside}-2`)).toEqual([]);
    expect(await readlink(`${aside}-3`)).toBe("nowhere");
  });

  test("is moved next to its real directory when the path is a link", async () => {
    await makeEarlier();
    const link = join(parent, "link");
    await symlink(state, link);
    expect(moveEarlierState(link)).toBe(aside);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(await readdir(link)).toEqual([]);
  });
});

describe("npm start", () => {
  test("on the state of an earlier version prints its new place in one line, and starts with a new state", async () => {
    await makeEarlier();
    const child = start();
    const output = new Response(child.stdout).text();
    await eventually("the new state", () => Bun.file(join(state, "bellhop.db")).exists(), 60_000);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
    expect(await new Response(child.stderr).text()).toBe(
      `bellhop: the state of an earlier version was moved to ${aside}. Bellhop starts with empty state.\n`,
    );
    expect(await output).toContain(`state         ${state}\n`);
    expect(await readFile(join(aside, "settings.json"), "utf8")).toBe("{}");
    expect(await readFile(join(state, "state-format"), "utf8")).toBe(`${STATE_FORMAT}\n`);
    expect(await readdir(parent)).toEqual([".bellhop", `.bellhop-before-${STATE_FORMAT}`]);
  });

  test("on the state of a newer version refuses in one sentence, and changes nothing", async () => {
    await makeEarlier();
    await number(`${STATE_FORMAT + 1}\n`);
    expect(await refused()).toMatch(/^bellhop: \S+ was written by a newer version \(state format .*\n$/u);
    expect(await readFile(join(state, "settings.json"), "utf8")).toBe("{}");
    expect(await readdir(parent)).toEqual([".bellhop"]);
  });

  test("does not move the state of an earlier version that is running", async () => {
    await makeEarlier();
    const lock = lockState(state);
    expect(await refused()).toContain(`${state} is in use by another npm start.`);
    expect(await readdir(parent)).toEqual([".bellhop"]);
    lock?.release();
  });

  function start() {
    return Bun.spawn([process.execPath, join(ROOT, "scripts/start.ts")], {
      env: { ...process.env, PORT: "0", BELLHOP_STATE: state, BELLHOP_LOCAL_AGENT: "off" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }

  async function refused(): Promise<string> {
    const child = start();
    expect(await child.exited).toBe(1);
    return new Response(child.stderr).text();
  }
});
