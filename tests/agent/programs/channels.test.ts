import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unitChannel } from "../../../agent/programs/channels.ts";
import { eventually } from "../../support/eventually.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

test("a connection that systemd resets counts as a process that ended, after its output", async () => {
  const directory = await mkdtemp(join(tmpdir(), "channel-"));
  const path = join(directory, "1.socket");
  // The kernel resets a connection that closes with unread bytes.
  const program = [
    "import socket, sys",
    "listener = socket.socket(socket.AF_UNIX)",
    "listener.bind(sys.argv[1])",
    "listener.listen()",
    "print('ready', flush=True)",
    "connection, _ = listener.accept()",
    "connection.recv(1)",
    "connection.sendall(b'sent')",
    "connection.close()",
  ].join("\n");
  const peer = Bun.spawn(["python3", "-c", program, path], { stdout: "pipe", stderr: "inherit" });
  cleanups.push(
    () => rm(directory, { recursive: true }),
    () => peer.kill(),
  );
  await peer.stdout.getReader().read();
  const channel = await unitChannel(path);
  channel.send(Buffer.from("an order"));
  const chunks = await Array.fromAsync(channel.chunks, (chunk) => Buffer.from(chunk).toString());
  expect(chunks.join("")).toBe("sent");
  await eventually("the channel is closed", () => Promise.resolve(!channel.isOpen));
});
