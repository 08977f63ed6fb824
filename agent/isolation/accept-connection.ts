import { dlopen, FFIType } from "bun:ffi";

const [STDIN, STDOUT] = [0, 1];

/**
 * Accepts the agent's connection on the socket that systemd passes as standard input (systemd.socket(5), Accept=no),
 * and replaces that socket by it, so that a job cannot accept later connections. Does nothing when standard input is no
 * such socket.
 */
export function acceptConnection(): void {
  if (process.platform !== "linux") return;
  const { i32, pointer } = FFIType;
  const { accept, dup2, close } = dlopen("libc.so.6", {
    accept: { args: [i32, pointer, pointer], returns: i32 },
    dup2: { args: [i32, i32], returns: i32 },
    close: { args: [i32], returns: i32 },
  }).symbols;
  const connection = accept(STDIN, null, null);
  if (connection < 0) return;
  dup2(connection, STDIN);
  dup2(connection, STDOUT);
  close(connection);
}
