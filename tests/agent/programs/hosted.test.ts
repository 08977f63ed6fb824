import { afterEach, describe, expect, jest, test } from "bun:test";
import { frame } from "../../../agent/programs/frames.ts";
import type { FrameKind } from "../../../agent/programs/frames.ts";
import { HostedPrograms } from "../../../agent/programs/hosted.ts";
import type { JobChannel } from "../../../agent/programs/hosted.ts";
import { eventually } from "../../support/eventually.ts";

const ORDER = { argv: ["true"], env: {}, mark: "mark" };

/** A job's process that sends the test's frames and records what it receives. */
class FakeProcess implements JobChannel {
  readonly heard: Uint8Array[] = [];
  isOpen = true;
  #push: (chunk: Uint8Array | null) => void = () => undefined;
  readonly chunks: AsyncIterable<Uint8Array>;

  constructor(private readonly complaint = "") {
    this.chunks = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#push = (chunk) => {
          if (chunk === null) controller.close();
          else controller.enqueue(chunk);
        };
      },
      cancel: () => {
        this.#push = () => undefined;
      },
    });
  }

  says(kind: FrameKind, body: object | string = ""): void {
    this.#push(frame(kind, typeof body === "string" ? body : JSON.stringify(body)));
  }

  saysBytes(...bytes: number[]): void {
    this.#push(Uint8Array.from(bytes));
  }

  send(bytes: Uint8Array): void {
    this.heard.push(bytes);
  }

  close(): void {
    if (this.isOpen) this.#push(null);
    this.isOpen = false;
  }

  said(): Promise<string> {
    return Promise.resolve(this.complaint);
  }
}

/** Programs that run in these processes, in this order. */
function programsOf(...processes: FakeProcess[]) {
  const opened: FakeProcess[] = [];
  const programs = new HostedPrograms(() => {
    const next = processes[opened.length];
    if (next === undefined) return Promise.reject(new Error("no more processes"));
    opened.push(next);
    return Promise.resolve(next);
  });
  return { programs, opened };
}

function ready(...more: [FrameKind, (object | string)?][]): FakeProcess {
  const process = new FakeProcess();
  process.says("ready");
  for (const [kind, body] of more) process.says(kind, body);
  return process;
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

afterEach(() => {
  jest.useRealTimers();
});

describe("a program in a process of another account", () => {
  test("has the process's output, exit code and end", async () => {
    const process = ready(
      ["started"],
      ["stdout", "one "],
      ["stderr", "wrong"],
      ["stdout", "two"],
      ["exited", { exitCode: 3, signal: null }],
      ["stdoutEnd"],
      ["stderrEnd"],
    );
    const program = await programsOf(process).programs.start(ORDER);
    expect(await new Response(program.stdout).text()).toBe("one two");
    expect(await new Response(program.stderr).text()).toBe("wrong");
    expect(await program.exited).toEqual({ exitCode: 3, signal: null });
    const ending = program.end("everything");
    process.says("ended");
    process.close();
    await ending;
    expect(process.heard.map(([kind]) => kind)).toEqual([1, 2]);
  });

  test("takes the prepared process, and prepares another one once it has begun", async () => {
    const [first, second] = [ready(["started"]), ready()];
    const { programs, opened } = programsOf(first, second);
    await programs.prepare();
    expect(opened).toEqual([first]);
    await programs.start(ORDER);
    await eventually("the next one", () => opened.length === 2);
    expect(second.heard).toEqual([]);
    await programs.stop();
    expect(second.isOpen).toBe(false);
  });

  test("prepares no other process after its agent has stopped", async () => {
    const { programs, opened } = programsOf(ready(["started"]), ready());
    jest.useFakeTimers();
    await programs.start(ORDER);
    expect(jest.getTimerCount()).toBe(1);
    await programs.stop();
    expect(jest.getTimerCount()).toBe(0);
    expect(opened).toHaveLength(1);
  });

  test("runs in a new process when the prepared one has died", async () => {
    const [dead, next] = [ready(), ready(["started"])];
    const { programs, opened } = programsOf(dead, next);
    await programs.prepare();
    dead.close();
    await programs.start(ORDER);
    expect(opened.slice(0, 2)).toEqual([dead, next]);
    expect(dead.heard).toEqual([]);
  });

  test("runs in a new process when preparing one failed", async () => {
    const [broken, next] = [new FakeProcess("setpriv: no memory"), ready(["started"])];
    const { programs } = programsOf(broken, next);
    broken.close();
    expect(await failure(programs.prepare())).toMatchObject({ code: "job_process" });
    await programs.start(ORDER);
    expect(next.heard).toHaveLength(1);
  });

  test("runs in the next process when systemd rejected the connections to the first two", async () => {
    const rejected = [new FakeProcess(), new FakeProcess()];
    const next = ready(["started"]);
    for (const process of rejected) process.close();
    await programsOf(...rejected, next).programs.start(ORDER);
    expect([...rejected.map(({ heard }) => heard.length), next.heard.length]).toEqual([0, 0, 1]);
  });

  test("that its process refuses fails with the process's error", async () => {
    const process = ready(["refused", { code: "wrong_directory", message: "/there does not exist" }]);
    const error = await failure(programsOf(process).programs.start(ORDER));
    expect(error).toMatchObject({ code: "wrong_directory", message: "/there does not exist" });
    expect(process.isOpen).toBe(false);
  });

  test.each<[string, (process: FakeProcess) => void]>([
    ["ends", (process) => process.close()],
    ["sends another frame", (process) => process.says("stdout", "started")],
    ["sends an invalid frame", (process) => process.saysBytes(99, 0, 0, 0, 0)],
  ])("fails, and is not run again, when its process %s before it has started", async (_, instead) => {
    const [process, other] = [ready(), ready(["started"])];
    const { programs, opened } = programsOf(process, other);
    await programs.prepare();
    const starting = failure(programs.start(ORDER));
    await eventually("the order", () => process.heard.length === 1);
    instead(process);
    expect(await starting).toMatchObject({ code: "job_process" });
    expect(process.isOpen).toBe(false);
    expect(opened).toEqual([process]);
  });

  test("fails with the process's complaint when that ends before it is ready", async () => {
    const process = new FakeProcess("setpriv: setresuid failed: Operation not permitted\n");
    process.close();
    const error = await failure(programsOf(process).programs.start(ORDER));
    expect(error).toMatchObject({ message: expect.stringContaining("setresuid failed: Operation not permitted") });
  });

  test("fails after 30 s when its process is never ready", async () => {
    jest.useFakeTimers();
    const process = new FakeProcess();
    const starting = failure(programsOf(process).programs.start(ORDER));
    while (jest.getTimerCount() === 0) await Promise.resolve();
    jest.advanceTimersByTime(30_000);
    expect(await starting).toMatchObject({ code: "job_process", message: expect.stringContaining("within 30 s") });
    expect(process.isOpen).toBe(false);
  });

  test("fails after 30 s when its process does not answer the order", async () => {
    const process = ready();
    const { programs } = programsOf(process);
    await programs.prepare();
    jest.useFakeTimers();
    const starting = failure(programs.start(ORDER));
    while (process.heard.length === 0) await Promise.resolve();
    jest.advanceTimersByTime(30_000);
    expect(await starting).toMatchObject({ code: "job_process", message: expect.stringContaining("within 30 s") });
    expect(process.isOpen).toBe(false);
  });

  test("counts as killed when its process disappears without reporting an exit", async () => {
    const process = ready(["started"], ["stdout", "half"]);
    const program = await programsOf(process).programs.start(ORDER);
    process.close();
    expect(await program.exited).toEqual({ exitCode: 137, signal: "SIGKILL" });
    expect(await new Response(program.stdout).text()).toBe("half");
    await program.end("everything");
  });

  test("is closed when its process does not end it in time", async () => {
    const process = ready(["started"]);
    const program = await programsOf(process).programs.start(ORDER);
    jest.useFakeTimers();
    const ending = program.end("everything");
    expect(process.isOpen).toBe(true);
    jest.advanceTimersByTime(4_000);
    await ending;
    expect(process.isOpen).toBe(false);
  });
});

describe("a program with much output", () => {
  const CHUNKS = 1_000;

  /** Yields its chunks as fast as they are read. */
  function flood() {
    const process = new FakeProcess();
    const taken = { chunks: 0 };
    const chunks = (async function* () {
      yield frame("ready");
      yield frame("started");
      for (; process.isOpen && taken.chunks < CHUNKS; taken.chunks += 1) yield frame("stdout", "x".repeat(65_536));
      yield frame("exited", JSON.stringify({ exitCode: 0, signal: null }));
    })();
    return { programs: programsOf(Object.assign(process, { chunks })).programs, taken };
  }
  const allElse = () => new Promise((resolve) => setImmediate(resolve));

  test("waits for a slow reader, who gets all of the output", async () => {
    const { programs, taken } = flood();
    const { stdout } = await programs.start(ORDER);
    await allElse();
    expect(taken.chunks).toBeLessThan(8);
    expect((await new Response(stdout).bytes()).length).toBe(CHUNKS * 65_536);
  });

  test("runs to its end when its reader cancels", async () => {
    const { programs, taken } = flood();
    const { stdout, exited } = await programs.start(ORDER);
    await stdout.cancel();
    expect(await exited).toMatchObject({ exitCode: 0 });
    expect(taken.chunks).toBe(CHUNKS);
  });

  test("can be closed while it waits", async () => {
    const { programs, taken } = flood();
    const { stdout, exited, close } = await programs.start(ORDER);
    await allElse();
    await close();
    await exited;
    expect((await new Response(stdout).bytes()).length).toBe(4 * 65_536);
    expect(taken.chunks).toBeLessThan(8);
  });
});

describe("a file read by a process of another account", () => {
  test("has the bytes that the process sent", async () => {
    const process = ready(["started"], ["stdout", "one "], ["stdout", "two"], ["ended"]);
    const reading = programsOf(process).programs.readFile("/file", 100);
    await eventually("the order", () => process.heard.length === 1);
    process.close();
    expect(Buffer.from(await reading).toString("utf8")).toBe("one two");
  });

  test("fails as too_large beyond the requested size", async () => {
    const process = ready(["started"], ["stdout", "x".repeat(101)]);
    expect(await failure(programsOf(process).programs.readFile("/file", 100))).toMatchObject({ code: "too_large" });
    expect(process.isOpen).toBe(false);
  });
});
