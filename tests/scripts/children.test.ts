import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { endLeftBehind, nameOf, recordChildren } from "../../scripts/local/children.ts";
import { isPortFree } from "../../scripts/local/free-port.ts";
import { eventually } from "../support/eventually.ts";

const WAIT_MS = 100;
/** Like a large process right after a kill: its first thread has ended, and another thread still has a socket. */
const WITHOUT_FIRST_THREAD = `
import ctypes, platform, socket, threading, time
server = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=time.sleep, args=(1000,)).start()
time.sleep(0.5)
print(server.getsockname()[1], flush=True)
ctypes.CDLL(None).syscall(93 if platform.machine() == "aarch64" else 60, 0)
`;
const recordSchema = z.array(z.looseObject({ pid: z.number() }));

describe.skipIf(process.platform !== "linux")("children of a killed run (found in /proc: Linux)", () => {
  let directory: string;
  let file: string;
  const children: Bun.Subprocess[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "bellhop-children-"));
    file = join(directory, "children.json");
  });
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill("SIGKILL");
      await child.exited;
    }
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test("are ended and removed from the record", async () => {
    const child = await recorded(["sleep", "1000"]);
    expect((await endLeftBehind(directory, 60_000)).map(({ pid }) => pid)).toEqual([child.pid]);
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
    expect(await Bun.file(file).exists()).toBe(false);
    expect(await endLeftBehind(directory)).toEqual([]);
  });

  test("are killed when they ignore the signal", async () => {
    const child = await recorded(["sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 1; done"]);
    await endLeftBehind(directory, WAIT_MS);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
  });

  test("are ended also when only their first thread has ended and other threads still listen", async () => {
    const child = await recorded(["python3", "-c", WITHOUT_FIRST_THREAD]);
    const listening = child.stdout.getReader();
    const port = Number(new TextDecoder().decode((await listening.read()).value));
    await eventually("the first thread's end", async () =>
      (await readFile(`/proc/${child.pid}/stat`, "utf8")).includes(") Z "),
    );
    expect((await endLeftBehind(directory, 60_000)).map(({ pid }) => pid)).toEqual([child.pid]);
    expect(child.signalCode ?? (await child.exited.then(() => child.signalCode))).toBe("SIGTERM");
    expect(await isPortFree(port, 0)).toBe(true);
  });

  test("are killed immediately when they are workerd, which would wait for its connections", async () => {
    const workerd = join(directory, "workerd");
    await symlink(Bun.which("sleep") ?? "", workerd);
    const child = await recorded([workerd, "1000"]);
    await endLeftBehind(directory, 60_000);
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
  });

  test.each([
    ["started at another time", { startTime: "1" }],
    ["runs something else", { command: "workerd\0serve\0" }],
    ["belongs to another boot of the machine", { bootId: "00000000-0000-0000-0000-000000000000" }],
    ["still has the parent that recorded it", { parent: process.pid }],
  ])("do not include a recorded process id whose process %s", async (_what, otherwise) => {
    const child = await recorded(["sleep", "1000"]);
    const [record] = recordSchema.parse(JSON.parse(await readFile(file, "utf8")));
    await writeFile(file, JSON.stringify([{ ...record, ...otherwise }]));
    expect(await endLeftBehind(directory, WAIT_MS)).toEqual([]);
    expect(child.exitCode).toBeNull();
    expect(child.signalCode).toBeNull();
  });

  test("are ended and named also when they were recorded before they had their arguments", async () => {
    const child = await recorded(["sleep", "1000"]);
    const [record] = recordSchema.parse(JSON.parse(await readFile(file, "utf8")));
    await writeFile(file, JSON.stringify([{ ...record, command: "" }]));
    expect((await endLeftBehind(directory, 60_000)).map(nameOf)).toEqual([`its sleep (pid ${child.pid})`]);
    await child.exited;
    expect(child.signalCode).toBe("SIGTERM");
  });

  test("that cannot be ended are reported with what to do, and stay in the record", async () => {
    const child = await recorded(["sleep", "1000"]);
    const { kill } = process;
    process.kill = () => {
      throw new Error("EPERM: operation not permitted");
    };
    try {
      await expect(endLeftBehind(directory, WAIT_MS)).rejects.toThrow(
        `had left its sleep (pid ${child.pid}) behind, which cannot be ended from here. End it, then start again: sudo kill -9 ${child.pid}`,
      );
    } finally {
      process.kill = kill;
    }
    expect(await Bun.file(file).exists()).toBe(true);
  });

  test.each(["", "[{", "[{}]"])("are empty for a record that a power loss has cut: %p", async (text) => {
    await writeFile(file, text);
    expect(await endLeftBehind(directory)).toEqual([]);
  });

  /** A child of this process as the only one in the record, as if another, killed process had started it. */
  async function recorded(command: string[]): Promise<Bun.Subprocess<"ignore", "pipe", "ignore">> {
    const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    children.push(child);
    if (command[0] === "sh") await child.stdout.getReader().read();
    await eventually("the record", async () => {
      recordChildren(directory);
      const own = recordSchema.parse(JSON.parse(await readFile(file, "utf8"))).filter(({ pid }) => pid === child.pid);
      await writeFile(file, JSON.stringify(own.map((record) => ({ ...record, parent: 0 }))));
      return own.length > 0;
    });
    return child;
  }
});
