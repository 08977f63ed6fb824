import { connect } from "node:net";
import type { Account } from "../isolation/job-account.ts";
import type { JobChannel } from "./hosted.ts";
import { JOB_COMMAND } from "./job-process.ts";
import { ownCommand } from "./own-command.ts";

/** A job's process has 2 s for each of the two ways to end a program. */
const KILL_AFTER_MS = 4_000;

/** A job's process that systemd starts for each connection to a socket (`bellhop-job@.service`). */
export function unitChannel(socketPath: string): Promise<JobChannel> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath);
    let isOpen = true;
    socket.once("error", reject);
    socket.once("close", () => {
      isOpen = false;
    });
    socket.once("connect", () => {
      socket.off("error", reject);
      // A connection that breaks is one that ends: what the job's process had said until then counts.
      socket.on("error", () => undefined);
      resolve({
        chunks: socket,
        get isOpen() {
          return isOpen;
        },
        send: (bytes) => void socket.write(bytes),
        close: () => void socket.destroy(),
      });
    });
  });
}

/**
 * A job's process of another account, which root starts. `gone` is fulfilled when everything of it has ended; with an
 * account of its own that is also what a killed process left.
 */
export function accountChannel(
  setpriv: string,
  account: Account,
  { isAlone }: { isAlone: boolean },
): { channel: JobChannel; gone: Promise<void> } {
  const child = Bun.spawn(asAccount(setpriv, account, ownCommand(JOB_COMMAND)), {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: "/",
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const channel = {
    chunks: child.stdout,
    get isOpen() {
      return child.exitCode === null && child.signalCode === null;
    },
    send: (bytes: Uint8Array) => {
      child.stdin.write(bytes);
      void child.stdin.flush();
    },
    close: () => {
      void child.stdin.end();
      // It may have been stopped by what it runs.
      setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
    },
  };
  const end = async (): Promise<void> => {
    if ((await child.exited) === 0 || !isAlone) return;
    const rest = asAccount(setpriv, account, ["/bin/sh", "-c", "kill -KILL -1"]);
    await Bun.spawn(rest, { env: {}, cwd: "/", stdio: ["ignore", "ignore", "ignore"] }).exited;
  };
  return { channel, gone: end() };
}

/** A command without groups and capabilities, and without a way to get any (setpriv of util-linux). */
function asAccount(setpriv: string, { uid, gid }: Account, command: readonly string[]): string[] {
  const account = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  return [setpriv, ...account, "--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all", "--", ...command];
}
