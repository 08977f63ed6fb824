import { connect } from "node:net";
import type { Account } from "../isolation/job-account.ts";
import type { JobChannel } from "./hosted.ts";
import { JOB_COMMAND } from "./job-process.ts";
import { ownCommand } from "./own-command.ts";

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
 * A job's process of another account, which root starts: without groups and capabilities, and without a way to get any
 * (setpriv of util-linux).
 */
export function accountChannel(
  setpriv: string,
  { uid, gid }: Account,
): { channel: JobChannel; gone: Promise<unknown> } {
  const account = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"];
  const none = ["--inh-caps=-all", "--ambient-caps=-all", "--bounding-set=-all"];
  const child = Bun.spawn([setpriv, ...account, ...none, "--", ...ownCommand(JOB_COMMAND)], {
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
    close: () => void child.stdin.end(),
  };
  return { channel, gone: child.exited };
}
