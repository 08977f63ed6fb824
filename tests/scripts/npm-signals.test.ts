import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endLeftBehind } from "../../scripts/local/children.ts";
import { ROOT } from "../../scripts/paths.ts";
import { eventually } from "../support/eventually.ts";
import { spawnNpm } from "../support/npm.ts";
import { descendantsOf, isRunning } from "../support/processes.ts";

/** Sends the signal to its parent like npm, and prints its count. SIGTERM takes two turns: it may overtake SIGINT. */
const INTERRUPTED = `
let interrupts = 0;
let turns = 0;
process.on("SIGINT", () => {
  if (++interrupts > 1) return;
  process.kill(process.ppid, "SIGINT");
  process.kill(process.ppid, "SIGTERM");
});
process.on("SIGTERM", () => {
  if (++turns < 2) return process.kill(process.ppid, "SIGTERM");
  console.log("interrupts: " + interrupts);
  process.exit(0);
});
process.kill(process.ppid, "SIGINT");
setInterval(() => {}, 1_000);
`;

describe.skipIf(process.platform !== "linux")("npm start (its processes are found in /proc: Linux)", () => {
  let scratch: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "bellhop-npm-start-"));
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  test.each(["SIGINT", "SIGTERM"] as const)(
    "npm that gets %s ends when the service and the agent have ended",
    async (signal) => {
      const state = join(scratch, signal);
      const npm = spawnNpm(["start"], { env: { BELLHOP_STATE: state, PORT: "0" } });
      try {
        for await (const text of npm.stdout.pipeThrough(new TextDecoderStream())) if (text.includes("Ctrl-C")) break;
        const started = descendantsOf(npm.pid);
        // The bootstrap, Bun, workerd, the agent.
        expect(started.length).toBeGreaterThanOrEqual(4);
        npm.kill(signal);
        expect(await npm.exited).toBe(0);
        await eventually("the end of all processes", () => !started.some(isRunning));
        expect(await Bun.file(join(state, "children.json")).exists()).toBe(false);
      } finally {
        npm.kill("SIGKILL");
        await npm.exited;
        // Ends processes that a failed test has left.
        await endLeftBehind(state);
      }
    },
  );

  test("a terminal's Ctrl-C, which arrives directly and through npm, counts once for the service", async () => {
    const checkout = join(scratch, "checkout");
    await mkdir(join(checkout, "scripts"), { recursive: true });
    for (const file of ["package.json", "package-lock.json", "scripts/bootstrap.mjs", "scripts/hand-over.mjs"])
      await copyFile(join(ROOT, file), join(checkout, file));
    await symlink(join(ROOT, "node_modules"), join(checkout, "node_modules"));
    await writeFile(join(checkout, "scripts/start.ts"), INTERRUPTED);
    const child = Bun.spawn(["node", "scripts/bootstrap.mjs", "start.ts"], { cwd: checkout, stdout: "pipe" });
    expect(await new Response(child.stdout).text()).toBe("interrupts: 1\n");
    expect(await child.exited).toBe(0);
  });
});
