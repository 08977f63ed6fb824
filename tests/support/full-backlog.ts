import { debianPeer } from "./debian-peer.ts";

/** Listens without accepting, and fills its own queue: from then on Linux drops connection requests. */
const PROGRAM = `
import socket, sys
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen(0)
waiting = []
for _ in range(4):
    client = socket.socket()
    client.setblocking(False)
    client.connect_ex(listener.getsockname())
    waiting.append(client)
print(listener.getsockname()[1], flush=True)
sys.stdin.read()
`;

const PYTHON = "/usr/bin/python3";
export const fullBacklogMissing: string | null =
  process.platform !== "linux" ? "only Linux drops what its queue cannot hold" : debianPeer(PYTHON, "python3");

/** A port that never answers, as behind a firewall that drops packets. */
export class FullBacklog {
  private constructor(
    readonly port: number,
    readonly child: Bun.Subprocess<"pipe", "pipe", "inherit">,
  ) {}

  static async start(): Promise<FullBacklog> {
    const child = Bun.spawn([PYTHON, "-c", PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    const { value } = await child.stdout.getReader().read();
    return new FullBacklog(Number(new TextDecoder().decode(value)), child);
  }

  async stop(): Promise<void> {
    await this.child.stdin.end();
    await this.child.exited;
  }
}
