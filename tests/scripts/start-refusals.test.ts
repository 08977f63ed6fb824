import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ROOT } from "../../scripts/paths.ts";
import { writeFormat } from "../../scripts/state-format.ts";
import { runNpm } from "../support/npm.ts";
import { SmallDisk, smallDiskMissing } from "../support/small-disk.ts";

const ADVICE = "Change that, or choose another directory: BELLHOP_STATE=<directory> npm start.";
/** Root may listen on every port unless it drops that capability. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-net_bind_service"] : [];

/** `npm start` prints one line with the problem and what to do, and exits with code 1. */
describe("npm start refuses", () => {
  let scratch: string;

  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "bellhop-refusals-"));
    await writeFile(join(scratch, "file"), "");
  });
  afterAll(() => rm(scratch, { recursive: true, force: true }));

  test.each([
    ["is a file", "file", "it is a file"],
    ["is a path below a file", "file/state", "it is below a file"],
    ["cannot be created", "/proc/x", "the directory cannot be created there"],
  ])("a BELLHOP_STATE that %s", async (_what, path, reason) => {
    const state = resolve(scratch, path);
    expect(await start({ BELLHOP_STATE: state })).toEqual(
      refusal(`the state cannot be kept in ${state}: ${reason}. ${ADVICE}`),
    );
  });

  test("a BELLHOP_STATE in which this account may not write, also when it exists", async () => {
    for (const state of ["/sys/bellhop", "/sys"]) {
      const { stdout, lines, code } = await start({ BELLHOP_STATE: state });
      expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
      expect(lines).toEqual([
        expect.stringMatching(
          /^bellhop: the state cannot be kept in \/sys\S*: (?:this account may not write there|its disk is read-only)\. /u,
        ),
      ]);
    }
  });

  test.skipIf(smallDiskMissing !== null)("a BELLHOP_STATE on a full disk", async () => {
    const disk = await SmallDisk.mount({ kib: 4_096 });
    try {
      await disk.fill();
      const state = disk.path("state");
      expect(await start({ BELLHOP_STATE: state })).toEqual(
        refusal(`the state cannot be kept in ${state}: its disk has less than 12 MiB free. ${ADVICE}`),
      );
    } finally {
      await disk.remove();
    }
  });

  test("a state whose lock cannot be opened", async () => {
    const state = join(scratch, "lock");
    await mkdir(join(state, "state.lock"), { recursive: true });
    expect(await start({ BELLHOP_STATE: state })).toEqual(
      refusal(
        `${join(state, "state.lock")} cannot be used: unable to open database file. Give its directory to this account, or choose another directory with BELLHOP_STATE.`,
      ),
    );
  });

  test("a state whose settings are damaged", async () => {
    const state = join(scratch, "damaged");
    await mkdir(state);
    writeFormat(state);
    await writeFile(join(state, "settings.json"), "{");
    expect(await start({ BELLHOP_STATE: state })).toEqual(
      refusal(
        `${join(state, "settings.json")} is damaged. Put a copy of it back, or choose another directory with BELLHOP_STATE.`,
      ),
    );
  });

  test("a state whose agent directory cannot be made, after it has stopped the service again", async () => {
    const state = join(scratch, "no-agent");
    await mkdir(state);
    await writeFile(join(state, "agent"), "");
    const { lines, code } = await start({ BELLHOP_STATE: state });
    expect({ lines, code }).toEqual({
      lines: [`bellhop: EEXIST: file already exists, mkdir '${join(state, "agent")}'`],
      code: 1,
    });
    expect(await Bun.file(join(state, "children.json")).exists()).toBe(false);
  });

  test.skipIf(process.platform !== "linux")("a port that this account may not use", async () => {
    expect(await start({ BELLHOP_STATE: join(scratch, "port"), PORT: "80" }, UNPRIVILEGED)).toEqual(
      refusal("this account may not listen on port 80 of 127.0.0.1. Choose one from 1024: PORT=8787 npm start."),
    );
  });

  test("all wrong settings of its agent together, with the agent's messages, before it creates any file", async () => {
    const state = join(scratch, "never-made");
    const wrong = { POLL_INTERVAL: "5s", ALLOW_PRIVATE_NETWORK: "yes", HTTPS_PROXY: "ada:word@proxy" };
    expect(await start({ BELLHOP_STATE: state, ...wrong })).toEqual({
      stdout: "",
      lines: [
        'bellhop: POLL_INTERVAL must be a number of seconds from 0.1 to 3600, not "5s".',
        'bellhop: ALLOW_PRIVATE_NETWORK must be true or false (or 1 or 0), not "yes".',
        "bellhop: HTTPS_PROXY must be the proxy's http:// or https:// address, such as http://proxy.example.com:3128.",
      ],
      code: 1,
    });
    expect(existsSync(state)).toBe(false);
  });

  test("a wrong setting of the service, before it creates any file", async () => {
    const state = join(scratch, "never-made");
    expect(await start({ BELLHOP_STATE: state, LOG_LEVEL: "verbose" })).toEqual(
      refusal('LOG_LEVEL must be one of DEBUG, INFO, WARNING, ERROR, not "verbose".'),
    );
    expect(existsSync(state)).toBe(false);
  });

  test("a BELLHOP_LOCAL_AGENT that is neither on nor off, so that no unwanted agent starts", async () => {
    expect(await start({ BELLHOP_STATE: join(scratch, "never-made"), BELLHOP_LOCAL_AGENT: "no" })).toEqual(
      refusal('BELLHOP_LOCAL_AGENT must be one of on, off, not "no".'),
    );
  });

  test("a wrong BELLHOP_STATE, after a warning about a misspelt variable", async () => {
    const state = join(scratch, "file");
    expect(await start({ BELLHOP_STATE: state, OIDC_ISSUR: "https://issuer.example.com" })).toEqual({
      stdout: "",
      lines: [
        "bellhop: OIDC_ISSUR is not a setting and has no effect. If OIDC_ISSUER is meant, rename it and start again.",
        `bellhop: the state cannot be kept in ${state}: it is a file. ${ADVICE}`,
      ],
      code: 1,
    });
  });

  test("a taken port when npm runs it, and npm adds no output", async () => {
    const other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const env = { BELLHOP_STATE: join(scratch, "taken"), PORT: String(other.port) };
    const { stderr, code } = await runNpm(["start"], { env });
    other.stop(true);
    expect(code).toBe(1);
    expect(linesOf(stderr).filter((line) => !line.startsWith("npm warn"))).toEqual([
      `bellhop: port ${other.port} of 127.0.0.1 is taken. Stop the program that uses it, or choose another port: PORT=${other.port + 1} npm start.`,
    ]);
  });
});

async function start(env: Record<string, string>, command: readonly string[] = []) {
  const child = Bun.spawn([...command, process.execPath, join(ROOT, "scripts/start.ts")], {
    env: { ...process.env, PORT: "0", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, lines: linesOf(stderr), code };
}

function refusal(message: string) {
  return { stdout: "", lines: [`bellhop: ${message}`], code: 1 };
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
