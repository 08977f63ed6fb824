import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { failureOf, textOf, outputOf } from "../support/executor-context.ts";
import { isRunning, pidIn } from "../support/processes.ts";
import { startTcpRelay, type TcpRelay } from "../support/tcp-relay.ts";
import { gone, outputFetched, winrmCommand, type WinrmJob, winrmScript } from "../support/winrm-jobs.ts";
import { WinrmServer, winrmServerMissing, type WinrmServerOptions } from "../support/winrm-server/index.ts";

if (winrmServerMissing !== null) console.warn(`Tests of ending WinRM commands are skipped: ${winrmServerMissing}.`);

describe.skipIf(winrmServerMissing !== null)("a command on a Windows host that is ended early", () => {
  let server: WinrmServer;
  let relay: TcpRelay;
  let stop: AbortController;
  beforeEach(async () => {
    await startHost();
    stop = new AbortController();
  });
  afterEach(stopHost);

  async function startHost(options: WinrmServerOptions = {}): Promise<void> {
    server = await WinrmServer.start({ receiveSecondsMax: 0.5, ...options });
    relay = await startTcpRelay(server.port);
  }

  async function stopHost(): Promise<void> {
    await relay.close();
    await server.stop();
  }

  const job = (): WinrmJob => ({ port: relay.port, signal: stop.signal });
  const file = (name: string): string => join(server.directory, name);
  const endless = (): string =>
    `echo begun; sleep 300 & echo $! > ${file("child")}; echo $$ > ${file("main")}; sleep 300`;

  async function begun(): Promise<number[]> {
    const pids = [await pidIn(file("child")), await pidIn(file("main"))];
    expect(pids.map(isRunning)).toEqual([true, true]);
    return pids;
  }

  test("is terminated with its children, its shell is deleted, and its output is kept", async () => {
    const running = winrmCommand(server, endless(), job());
    const pids = await begun();
    await outputFetched(server, "begun\n");
    stop.abort();
    const outcome = await running;
    await gone(pids);
    expect(failureOf(outcome)).toEqual({
      code: "job_ended",
      message: "The remote command was terminated and its shell deleted.",
    });
    expect(textOf(outputOf(outcome), "stdout")).toBe("begun\n");
    expect((await server.actions()).slice(-2)).toEqual(["Signal", "Delete"]);
  });

  test("is terminated if it is a script, too", async () => {
    const running = winrmScript(server, `echo $$ > ${file("main")}; echo $$ > ${file("child")}; sleep 300`, job());
    const pids = await begun();
    stop.abort();
    expect(failureOf(await running).message).toContain("was terminated");
    await gone(pids);
  });

  test("over a frozen connection is terminated over a second one", async () => {
    const running = winrmCommand(server, endless(), job());
    const pids = await begun();
    await outputFetched(server, "begun\n");
    relay.freeze();
    stop.abort();
    expect(failureOf(await running).message).toBe("The remote command was terminated and its shell deleted.");
    await gone(pids);
  });

  test.each([
    ["Delete", "The remote command was terminated, and the host has removed its shell."],
    ["Signal", "The host had already removed the remote command's shell, which ends the command."],
  ] as const)("is ended when the host removes its shell before %s has ended", async (removesShellBefore, message) => {
    await stopHost();
    await startHost({ removesShellBefore });
    const running = winrmCommand(server, endless(), job());
    const pids = await begun();
    await outputFetched(server, "begun\n");
    stop.abort();
    expect(failureOf(await running)).toEqual({ code: "job_ended", message });
    await gone(pids);
  });

  test("by a lost connection is terminated over a second one, and fails", async () => {
    const running = winrmCommand(server, endless(), job());
    const pids = await begun();
    await outputFetched(server, "begun\n");
    relay.breakOff();
    const outcome = await running;
    expect(failureOf(outcome).code).toBe("connection_lost");
    expect(failureOf(outcome).message).toContain("The remote command was terminated and its shell deleted.");
    expect(textOf(outputOf(outcome), "stdout")).toBe("begun\n");
    await gone(pids);
  });

  test("on an unreachable host is reported as possibly running, and ends with its idle shell", async () => {
    const running = winrmCommand(server, endless(), job());
    const pids = await begun();
    await outputFetched(server, "begun\n");
    relay.refuse();
    relay.breakOff();
    const outcome = await running;
    expect(failureOf(outcome).code).toBe("connection_lost");
    expect(failureOf(outcome).message).toContain("It may still run on the host");
    await server.removeIdleShells();
    await gone(pids);
  });

  test("has a shell that the host may remove after 60 idle seconds", async () => {
    await winrmCommand(server, "true", job());
    const create = (await server.log()).find(({ message }) => message?.includes("/Create<"));
    expect(create?.message).toContain("<rsp:IdleTimeOut>PT60.000S</rsp:IdleTimeOut>");
  });

  test("before it is sent does not begin", async () => {
    stop.abort();
    expect(failureOf(await winrmCommand(server, "true", job()))).toEqual({
      code: "job_ended",
      message: "It was not begun.",
    });
    expect(await server.log()).toEqual([]);
  });

  test("while the host does not answer still ends", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => stop.abort() } });
    const running = winrmCommand(server, "true", { port: silent.port, signal: stop.signal });
    const failure = failureOf(await running);
    silent.stop(true);
    expect(failure.code).toBe("job_ended");
    expect(failure.message).toContain("still logging in");
  });

  test("by itself has nonzero_exit", async () => {
    const running = winrmCommand(server, `echo $$ > ${file("main")}; kill -9 $$`, job());
    const outcome = await running;
    expect(failureOf(outcome).code).toBe("nonzero_exit");
  });
});
