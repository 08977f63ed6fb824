import { dlopen, FFIType } from "bun:ffi";

const [STDIN, STDOUT] = [0, 1];

/**
 * Puts the agent's connection in the place of the socket that systemd passes as standard input (systemd.socket(5), Accept=no).
 * The socket is closed with it: a job has no way to later connections. Does nothing where standard input is no such socket.
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
