import type { ClientChannel } from "ssh2";
import { ExecutorFailure } from "../shared/failures.ts";
import type { SshConnection } from "./connect.ts";
import { endingProgram } from "./remote-program.ts";
import type { Started } from "./start-gate.ts";

/** The runner waits 10 s for a stopped job, so a connection that opens no session in this time is given up. */
const SESSION_TIMEOUT_MS = 2_000;
/** SIGTERM, two seconds of grace and SIGKILL, with room for a slow network. */
const ENDING_TIMEOUT_MS = 4_000;

/**
 * Opens a shell on the host that runs the program on its standard input. `onExit` is called even when the shell's exit
 * arrives together with the answer to its start.
 */
export function openShell(
  { client, lost }: SshConnection,
  onExit: (code: number | null, signal?: string) => void = () => undefined,
): Promise<ClientChannel> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientChannel>();
  const fail = (error: Error): void => {
    // ssh2's error for every open request when the connection ends.
    if (/^(Not connected|No response from server)$/u.test(error.message)) {
      return reject(connectionLost(error.message, "Nothing was run."));
    }
    const message = `The host accepted the login but opens no session to run a command in: ${error.message}. Check that the account may run commands there.`;
    reject(new ExecutorFailure("remote_shell_failed", message, null, { cause: error }));
  };
  void lost.then((reason) => reject(connectionLost(reason, "Nothing was run.")));
  try {
    client.exec("sh", (error, channel) => {
      if (error !== undefined) return fail(error);
      // `close` reports the channel's end. Without a listener an error would end the agent.
      channel.on("error", () => undefined);
      channel.stderr.on("error", () => undefined);
      channel.on("exit", onExit);
      resolve(channel);
    });
  } catch (error) {
    fail(error instanceof Error ? error : new Error(String(error)));
  }
  return promise;
}

/**
 * Ends a remote process group through a second session, because closing the connection would leave it running. True
 * when the host reports that nothing of the group is left.
 */
export async function endRemoteGroup(mark: string, started: Started, connection: SshConnection): Promise<boolean> {
  const { group, directory } = started;
  if (group === null) return false;
  const { promise: gone, resolve } = Promise.withResolvers<boolean>();
  let timer = setTimeout(() => resolve(false), SESSION_TIMEOUT_MS);
  void connection.lost.then(() => resolve(false));
  const end = async (): Promise<void> => {
    const channel = await openShell(connection);
    clearTimeout(timer);
    timer = setTimeout(() => resolve(false), ENDING_TIMEOUT_MS);
    let said = "";
    channel.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
    });
    channel.stderr.resume();
    channel.on("close", () => resolve(said.includes(`${mark} gone`)));
    channel.end(endingProgram(mark, group, directory));
  };
  end().catch(() => resolve(false));
  return await gone.finally(() => clearTimeout(timer));
}

/** `state` is a sentence about the state of the command. */
export function connectionLost(reason: string, state: string): ExecutorFailure {
  return new ExecutorFailure("connection_lost", `The connection to the host was lost: ${reason}. ${state}`);
}
