import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFile, cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { runNpm } from "../support/npm.ts";

/** Makes our scripts believe that they run on Node 18. npm itself checks the real Node. */
const PRETENDS = `
if ((process.argv[1] || "").endsWith("bootstrap.mjs"))
  Object.defineProperty(process, "versions", { value: Object.assign({}, process.versions, { node: "18.20.4" }) });
`;

let checkout: string;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), "bellhop-old-node-"));
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
    await copyFile(join(ROOT, file), join(checkout, file));
  }
  await cp(join(ROOT, "scripts"), join(checkout, "scripts"), { recursive: true });
  await writeFile(join(checkout, "pretends.cjs"), PRETENDS);
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

test.each(["start", "test", "run check", "run demo"])(
  "npm %s on an old Node installs nothing and names the required version",
  async (command) => {
    const env = { NODE_OPTIONS: `--require=${join(checkout, "pretends.cjs")}` };
    const { stderr, code } = await runNpm(command.split(" "), { cwd: checkout, env });
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => line !== "" && !line.startsWith("npm warn"))).toEqual([
      "bellhop: this is Node 18.20.4, and Bellhop needs Node 20 or newer: install one (https://nodejs.org), then repeat the command.",
    ]);
    expect(await readdir(checkout)).not.toContain("node_modules");
  },
);
