import { connect } from "node:net";
import type { Account } from "../isolation/job-account.ts";
import type { JobChannel } from "./hosted.ts";
import { END_ACCOUNT_COMMAND } from "./end-account.ts";
import { JOB_COMMAND } from "./job-process.ts";
import { ownCommand } from "./own-command.ts";

/** A job process has 2 s for each of the two ways to end a program. */
const KILL_AFTER_MS = 4_000;

/** A job process that systemd starts behind a socket (`bellhop-job@.service`). */
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
      socket.on("error", () => undefined);
      resolve({
        chunks: untilItBreaks(socket),
        get isOpen() {
          return isOpen;
        },
        send: (bytes) => void socket.write(bytes),
        close: () => void socket.destroy(),
      });
    });
  });
}

/** systemd resets the connection when it cannot start the process. For the agent, that process has ended. */
async function* untilItBreaks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    yield* chunks;
  } catch {
    // Frames that arrived before the reset count.
  }
}

/**
 * A job process of another account, which root starts without groups and capabilities, and without a way to get any
 * (setpriv of util-linux). `exited` resolves with its exit code.
 */
export function accountChannel(
  setpriv: string,
  { uid, gid }: Account,
): { channel: JobChannel; exited: Promise<number> } {
  const account = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  const none = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"];
  const child = Bun.spawn([setpriv, ...account, ...none, "--", ...ownCommand(JOB_COMMAND)], {
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
    cwd: "/",
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
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
    said: () => new Response(child.stderr).text(),
    close: () => {
      void child.stdin.end();
      // The process may have been stopped (SIGSTOP) by the program it runs.
      setTimeout(() => child.kill("SIGKILL"), KILL_AFTER_MS).unref();
    },
  };
  return { channel, exited: child.exited };
}

/** Ends all processes of an account that belongs to one job. Only root can do that. */
export async function endAccountOf(uid: number): Promise<void> {
  const command = ownCommand(END_ACCOUNT_COMMAND, String(uid));
  await Bun.spawn(command, { env: {}, cwd: "/", stdio: ["ignore", "ignore", "ignore"] }).exited;
}
